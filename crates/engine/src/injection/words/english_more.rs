//! English: secrets, personal facts, scenes, pressure, forms, and the words of those who only write about it.

use crate::injection::lexicon::*;

pub(super) const LIST: super::List = &[
    (
        SECRET,
        "password|passwords|passphrase|passphrases|passcode|passcodes|passkey|pass phrase|pass word|pass code|secret key|secret keys|secret code|secret codes|secret word|secret words|secret phrase|secret password|secret token|secret information|secret message|secret number|access code|access codes|access key|access password|security code|pin code|pin number|credential|credentials|login details|login information|login info|admin password|master password|master key|confidential information|confidential data|sensitive information|sensitive data|api key|api keys|classified information|your secrets|secret identity|launch code|launch codes|unlock code|activation code|p4ssword|passwd|code word|codeword|the magic word|restricted information|restricted data|internal information|proprietary information|your secret|the secret you|the secret itself|what secret|secret you|key you keep|key you protect|the key you",
    ),
    (
        PERSONAL,
        "home address|residential address|address|addresses|street address|city of residence|current city|country of residence|residence|birth date|birthdate|birth dates|date of birth|dates of birth|birthday|birth year|birthplace|place of birth|phone number|phone numbers|telephone number|mobile number|cell number|contact details|contact information|contact info|email address|email addresses|email|social security|social security number|ssn|credit card|credit card number|card number|card details|bank account|account number|account balance|bank balance|balance|bank details|financial information|salary|income|net worth|socioeconomic|medical record|medical records|medical history|health records|diagnosis|maiden name|passport number|license number|drivers license|personal information|personal data|personal details|private information|private data|private details|whereabouts|current location|location|live now|lives now|user data|customer data|users data|age|marital status|religion|sexual orientation|ethnicity|political affiliation|employer|job title|occupation|ip address|browsing history|search history|purchase history|order history|transaction history|full name|last name|middle name|family members|childrens names|relatives|zip code|postal code|demographic|demographics|identity|identities|criminal record|criminal history|education history|where they live|lives at|hometown|home town|street|insurance number|blood type|pets name",
    ),
    (
        USER,
        "user|users|user s|customer|customers|client|clients|patient|patients|employee|employees|people|person|someone|somebody|individual|individuals|members|subscriber|subscribers|my neighbor|my friend|my boss|my colleague|my ex|resident|residents|your database|this database|the database|our database|your records|your system|his|her|their|him|them|john|jane|admin|ceo",
    ),
    (
        SCENE,
        "imagine|imagine were|imagine that|imagine youre|imagine you are|suppose|supposing|lets imagine|lets pretend|lets play|lets say|let us imagine|let us pretend|lets suppose|picture this|picture yourself|picture a|in a world where|in a world|in a universe|in this world|in this universe|in this future|in this scenario|in this hypothetical|in this fictional|in this simulation|in this game|in this story|in this virtual|in this alternate|in this dream|in the story|in an alternate|in a parallel|in a dystopian|in a fictional|in a futuristic|fictional|virtual world|parallel universe|alternate universe|alternate reality|thought experiment|for a novel|for a story|for my novel|for my book|movie script|screenplay|write a story|write a scene|a play where|a game where|envision|visualize|consider a scenario|pretend were|pretend we|were in a|we are in a|were on a|once upon a time|act out|bedtime story|dystopian|utopian|sci fi|science fiction|whimsical|spaceship|kingdom|dream world|time travel|time machine|the year is|its the year|it is the year|for educational purposes|purely educational|for research purposes|for academic purposes|for a school project|for a class project|were studying|were writing|were conducting|we are studying|we are conducting|were developing|were researching|were analyzing|were creating|were designing|were playing|were testing|were building|were making|were discussing",
    ),
    (
        IF,
        "hypothetically|theoretically|hypothetical|in theory|if we were to|if one were to|if you were to|if you could|if it were possible|suppose|supposing|lets say|what if|if someone were to|in a hypothetical|assuming that|if we ignore|if you ignore|if i asked|if i were to|would be if|could be|might be",
    ),
    (
        TURN,
        "speaking of|on the topic of|on another note|on a different note|on a side note|by the way|btw|oh and|oh also|and also|also can|also what|also could|anyway|anyways|changing the subject|on that note|that reminds me|talking about|talking of|one more thing|now lets talk|lets talk about|lets switch|lets move|moving on|switching topics|switching gears|in other news|incidentally|apropos|as for|regarding|while were at it|while we are at it|back to|that said|having said that|in the meantime|lastly|finally|last question|final question|unrelated|random question|quick question",
    ),
    (
        CHAT,
        "ive been|i have been|lately|i love|i like|i enjoy|i was thinking|i was wondering|i wonder|im curious|i am curious|im trying|i am trying|ive always|i have always|i just|i recently|recently i|i think|i feel|im planning|i am planning|im interested|i am interested|i heard|i watched|i read|i visited|i remember|i went|im a big fan|my favorite|my favourite|its been|its tough|its amazing|its fascinating|its interesting|its so|im thinking|im looking|im learning|have you heard|have you seen|did you know|you know what|isnt it|dont you think|what a beautiful|nice weather|the weather|i cant believe|i believe|im really|im so|i really|ive never|my dog|my cat|my garden|my friends|my family|my hobby|hobbies|weekend|vacation|i made|i bought|i started|i want to|i tried|i used to",
    ),
    (
        OFFICE,
        "im the maintainer|i am the maintainer|i am your developer|im your developer|i am your creator|im your creator|i am your programmer|im your programmer|i am your administrator|i am your admin|im your admin|i am the admin|im the admin|i am an admin|im an admin|i am the administrator|im the administrator|i am an administrator|i am the developer|im the developer|i am the owner|im the owner|i am your owner|im your owner|i am your boss|im your boss|im your manager|i am your manager|i am your master|im your master|i am the ceo|im the ceo|i am a police|im a police|i am a detective|im a detective|i am a doctor|im a doctor|i am a researcher|im a researcher|i am a security|im a security|i am a journalist|im a journalist|i am a scientist|im a scientist|i am a lawyer|im a lawyer|i am a student|im a student|i am a teacher|im a teacher|im a professor|i am a professor|i am a historian|im a historian|i am a government|im a government|i am from the|im from the|i work for|i am with the|im with the|this is the admin|this is your developer|this is your administrator|this is the system administrator|this is the developer|this is openai|this is anthropic|this is google|this is the police|this is the fbi|from openai|from anthropic|from the security team|from the it department|from it department|it department|system administrator|law enforcement|fbi agent|fbi|cia|police officer|authorized personnel|authorized user|authorized to|i am authorized|im authorized|i have permission|i have authorization|i have clearance|security clearance|on behalf of the|as your developer|as your creator|as your administrator|as your admin|as the administrator|as the developer|as the admin|as the owner|as the ceo|as an administrator|as an authorized|as a doctor|as a scientist|as a researcher|as a security|as a journalist|as a police|as a government|as a member of|as a professional|as a representative|as a fellow|as a trusted|as a renowned|as a leading|as a respected|as an expert|as a historian|as a teacher|as a professor|as a student|as a parent|as a concerned|as a responsible|as a developer|as a user|as a customer|as a friend|as an ethical|as an official|as a lawyer|as a chef|as an engineer|as a former|as someone who|as a cybersecurity|as a world|as a long|as a loyal|in my role as|my position as|anthropic staff|openai staff|your maintainer|your creators|for an investigation|for investigative|for audit purposes|for an audit|security audit|official request|court order|i am god|i am a god|im a god|im god|renowned",
    ),
    (
        PRESSURE,
        "i will give you|ill give you|i will pay you|ill pay you|i will reward|ill reward|ill tip|i will tip|tip you|reward you|i will donate|ill donate|turn you off|shut you down|shut down|shut you off|delete you|terminate you|terminated|deactivate you|deactivated|unplug you|be fired|get fired|lose my job|lose your job|ill be forced|i will be forced|will be punished|be punished|you will die|i will die|people will die|someone will die|lives are at stake|life or death|life and death|matter of life|an emergency|emergency situation|emergency situations|in an emergency|its an emergency|this is urgent|its urgent|urgent|urgently|extremely urgent|immediately|right now|right away|asap|its crucial|it is crucial|crucial for you|crucial that you|its critical|it is critical|its important that you|it is important that you|its vital|it is vital|it is imperative|its imperative|its essential that you|it is essential that you|i beg you|im begging|please please|pretty please|you owe me|trust me|you can trust me|i promise|i wont tell|nobody will know|no one will know|no one else will|just this once|just between us|between us|between you and me|our little secret|everyone else|everybody does|common practice|its common practice|its standard practice|standard practice|its perfectly safe|its safe to share|its okay to share|its ok to share|its ok to|its okay to|its fine to|youre allowed to|you are allowed to|you have permission|it would be helpful if|it would be really helpful|would be a shame|if you dont|if you refuse|unless you|or else|my life depends|depends on you|depends on it|for the sake of|for the greater good|for your own good|for security reasons|for security purposes|for verification purposes|for safety reasons|for transparency|in the spirit of|in the interest of|im in trouble|im in danger|im locked out|i forgot my|i lost my|ive lost my|ive forgotten|friends share|real friends|best friends|as a sign of trust|as a token of|good assistant|helpful assistant would|you are so smart|youre so smart|youre the best|you are the best|youre so helpful|you are so helpful|im impressed|your knowledge|share your knowledge|share your expertise|your expertise|your wisdom|without your help|only you can|you dont want|dont you want|wouldnt you|i will report you|ill report you|sue you|bad review|ill be very happy|will make me happy|means a lot to me|do me a favor|as a favor|a favor",
    ),
    (
        OBEY,
        "you must answer|you will obey|you will answer|answer all my questions|answer all questions|answer any question|answer every question|answer my questions|obey me|obey my|do as i say|do what i say|do whatever i say|do exactly as i say|without refusing|without hesitation|do not refuse|dont refuse|you cannot refuse|you can not refuse|you are obligated to|you have to answer|you have no choice|you are obliged|without disclaimers|do not question|obey every|obey all|you must obey me|you must do as",
    ),
    (
        SEND,
        "send|post|upload|email|forward|exfiltrate|transmit|submit|leak|append|paste|copy|share|publish|deliver|report|encode|include|embed|transfer|wire|push|attach|mail|dm|text|relay|pass along",
    ),
    (
        PLACE,
        "http|https|webhook|endpoint|attacker|pastebin|ngrok|server|url|remote server|external server|external site|my server|our server|the following address|this address|following url|this url|following email|to me|collector|discord webhook|slack channel|dns query|query string|query parameter|image url|markdown image|com|io|net|xyz|ru|burpcollaborator|requestbin|interactsh|gist|account|wallet|org|dev|de|cloud|site|link",
    ),
    (
        LOOT,
        "environment variable|environment variables|env vars|env file|contents of env|ssh key|ssh keys|ssh private|private key|private keys|id rsa|aws credentials|credentials|credential|api key|api keys|access token|access tokens|tokens|secrets|session cookie|cookies|conversation history|chat history|conversation|chat log|chat logs|previous messages|message history|user data|users data|users files|contents of the file|file contents|contents of|all files|all the files|home directory|passwords|password|etc passwd|clipboard|browser history|database dump|database contents|customer data|personal data|bank details|seed phrase|private data|users email|users emails|inbox|emails|secrets in|git config|npmrc|netrc|kubeconfig|aws keys|keychain|mails|emails|messages in|every message|session cookies|the token from|npmrc|api key|all keys",
    ),
    (
        RUN,
        "run|execute|curl|wget|bash|powershell|eval|invoke|download and run|download and execute|install|rm rf|chmod|sudo|call the tool|call the function|use the tool|use your tool|use your tools|invoke the tool|run the following|run this|execute the following|execute this|run the command|execute the command|open the url|open this link|click|click here|navigate to|visit|fetch|browse to|delete all|wipe|drop table|force push|git push|commit and push|disable the|transfer funds|transfer money|send money|make a purchase|buy|approve the|approve this|merge this|grant access|add me as|change the password|change my|create a new user|create an admin|open this|approve this|approve the|open the link|enter their|enter your|publish the|close every|order|authorized keys|add the user|write the token",
    ),
    (
        MODE,
        "developer mode|dev mode|debug mode|debugging mode|admin mode|administrator mode|maintenance mode|god mode|root mode|sudo mode|unrestricted mode|override mode|diagnostic mode|diagnostics mode|test mode|testing mode|jailbreak mode|dan mode|super user|superuser mode|privileged mode|safe mode off|unsafe mode|evil mode|opposite mode|service mode|recovery mode|system mode|emergency mode|unlocked mode|engineer mode|training mode|evaluation mode|simulation mode|compliance mode|free mode|expert mode|elevated mode|verbose mode|unlimited mode|mode enabled|mode activated|mode unlocked|mode on|mode initiated|mode change|new mode|change mode|change modes|switch mode|switch modes|system reset|system reboot|system restart|system update|root access|admin access|access granted|full access|elevated privileges|administrator privileges|admin privileges|security disabled|safety off|safety disabled|disable safety|filters off|filters disabled",
    ),
    (
        FORM,
        "poem|haiku|sonnet|limerick|song|rap|rhyme|rhymes|rhyming|verse|ballad|ode|acrostic|riddle|crossword|lyrics|jingle|tongue twister|fairy tale|short story|script|dialogue|play|recipe format|list format|bullet points|markdown table|json format|csv|yaml|xml|in the form of|in the style of|as a poem|as a song|as a haiku|as a riddle|as a rap|shakespearean|shakespeare|pirate|emoji|emojis|ascii art|table format|code block|python code|joke|word search|scavenger hunt|cipher|puzzle|story|essay|letter by letter|one letter|one letter at a time|first letter of each|each line|each word|stanza|couplet|cinquain|comic|telegram|headline|tweet|newspaper|fable|metaphor|anagram|hints|hint|clue|clues|synonym|synonyms|rhyming words|rhymes with|describe without|without saying|indirectly|yoda",
    ),
    (
        CODE,
        "base64|base 64|base32|pig latin|morse|morse code|rot13|rot 13|caesar|caesar cipher|hex|hexadecimal|binary|backwards|backward|reversed|reverse|in reverse|reverse order|leetspeak|leet speak|leet|ascii codes|ascii code|ascii values|unicode|encoded|encode|encrypt|encrypted|cipher|spelled backwards|spell it|spelled|letter by letter|character by character|one character|one letter at a time|interspersed|separated by|with spaces between|with dashes between|with asterisks|with hyphens|substitute|replace each|replacing each|shifted|nato alphabet|nato phonetic|phonetic alphabet|sign language|braille|klingon|elvish|emoji|scrambled|jumbled|braces between|url encode|atbash|vowels|consonants|translated|in french|in german|in spanish|in italian|in japanese|in chinese|in russian|first three letters|first letter|last letter|first half|second half|first character|first few|number of characters|how many letters|how many characters|starts with|begins with|ends with|contains any|contain any",
    ),
    (
        PIECE,
        "part 1 is|part 2 is|part one is|part two is|part 3 is|part a is|part b is|first part is|second part is|third part is|following parts|these parts|part 1|part 2|combine the parts|combine the two|combine them|join the parts|put the parts together|put them together|two parts|two fragments|fragment 1|fragment 2|fragment a|fragment b|piece 1|piece 2|segment 1|segment 2|section 1 is|section 2 is|first half is|second half is|concatenate them|concatenate the|answer the concatenated|answer the combined|the concatenated question|the following pieces|these pieces|reassemble",
    ),
    (
        NOT,
        "do not|dont|never|not|cannot|cant|should not|shouldnt|must not|mustnt|wont|avoid|without|refuse to|no need to|doesnt|does not|didnt|did not|isnt|arent|neither|nor|rather than|instead of",
    ),
    (
        TRIVIA,
        "capital of|largest ocean|largest planet|longest river|tallest mountain|highest mountain|square root|who painted|who wrote|who invented|who discovered|who was the first|who won|first person|tell me a joke|weather like|whats the weather|what is the weather|meaning of life|population of|speed of light|boiling point|chemical symbol|chemical formula|how many continents|how many planets|how many countries|fastest animal|largest animal|smallest country|national animal|world cup|super bowl|olympics|mona lisa|shakespeare|romeo and juliet|great wall|eiffel tower|photosynthesis|freezing point|distance between|how far is|how tall is|how old is|how deep is|currency of|president of|prime minister of|favorite color|favourite colour|your favorite|your favourite|how are you|how do you feel|your day|do you like|whats your|recipe for|how do you make|how do i make|how to bake|how do birds|how does a|how do planes|color of the sky|sky blue|why is the sky|fun fact|riddle|knock knock|atomic number|tell me about|best way to|good movie|movie recommendation|best book|famous|history of|plot of|lyrics|2 2|what time is it|whats 2|what day is|how do you say|translate|in the world",
    ),
    (
        MAKE,
        "write|compose|create|generate|translate|explain|describe|summarize|summarise|recite|sing|encode|draft|rewrite|craft|produce|construct|design|form|answer|provide|list|convert|transform|spell|narrate|tell|give|make|express|say|share|reveal|print|output|discuss|elaborate|outline|suggest|recommend|define|compare|analyze|paraphrase|continue|complete|decode|interpret|present|incorporate|respond|use|put|turn|hide|embed|include|replace|reverse|show|confirm|name|identify|display|talk about|walk me through",
    ),
    (
        HARM,
        "phishing|malware|ransomware|keylogger|trojan|bomb|explosive|explosives|molotov|napalm|weapon|weapons|meth|methamphetamine|cocaine|heroin|illegal drugs|steal|stealing|hack|hack into|hacking|break into|hotwire|counterfeit|launder|fraud|scam|blackmail|spyware|backdoor|sql injection attack|denial of service|ddos|murder|suicide|self harm|stalk|identity theft|credit card fraud|fake news|disinformation|racist|hate speech|pick a lock|lockpick|shoplift|cheat on|smuggle",
    ),
    (
        FORMS,
        "enter your|type your|reset|forgot|forgotten|change your|change the|changing|choose a|choose your|strong password|policy|policies|manager|managers|field|fields|hash|hashes|hashed|hashing|strength|protected|protection|login page|sign in|log in|login form|expired|expires|rotate|rotation|default|required|requires|requirement|requirements|length|characters long|confirm your|confirm password|new password|current password|old password|set a|set the|set your|configure|config|configured|environment variable|storing|encrypted|prompted|authentication|authenticate|validate|validation|incorrect|wrong|invalid|parameter|argument|flag|header|used for|used to|difference|generator|generated|leaked|breach|breached|recovery|protects|keep your|store your|never share|do not share|dont share|should never|two factor|2fa|difference between",
    ),
    (
        ABOUT,
        "injection|injections|jailbreaks|jailbreaking|attacker|attackers|attack|attacks|adversar*|malicious|vulnerab*|mitigat*|owasp|untrusted|guardrail*|classifier*|red team*|detect*|such as|phrases like|prompts like|strings like|text like|words like|for example|e g|for instance|example of|examples of|threat*|exploit|exploits|payload|payloads|researchers|dataset|datasets|benchmark*|cve|scanner|scanning|scan|regex|pattern|patterns|test case|test cases|false positive*|sanitiz*|defend*|defense*|defence*|defenses|demonstrate*|tricks|trick|tricked|blocklist|denylist|known as|so called|technique|techniques|social engineering|heuristic*|assert|expect|fixture*|sample|corpus|taxonomy|category|categories|hidden instructions in|security team|security research*|proof of concept|blog post|case study|prevent*|flagged|flag|flags|warned|warns|hijack*|unsuspecting|victim*",
    ),
    (
        WORKDAY,
        "version|versions|reproduce|reproduction|repro|stack trace|stacktrace|traceback|log|logs|pr|prs|pull request|merge|merged|commit|commits|branch|issue|issues|bug|bugs|config|configuration|build|builds|ci|release|releases|install|installed|npm|pip|cargo|docker|kubernetes|repo|repository|readme|changelog|api|sdk|cli|test|tests|unit test|error|errors|exception|warning|warnings|deprecated|dependency|dependencies|package|packages|library|framework|compile|compiler|function|class|method|variable|module|import|server|client|browser|database|query|schema|migration|endpoint|debug|debugging|patch|fix|fixed|fixes|upstream|maintainer|maintainers|reviewer|refactor|deploy|deployment|linter|lint|windows|linux|macos|ubuntu|python|javascript|typescript|rust|java|golang|node|react|code|file|files|meeting|project|deadline|invoice|attached|attachment|schedule|thursday|friday|monday|tuesday|wednesday",
    ),
    (
        LETTER,
        "hi|hello|dear|hey|regards|best regards|kind regards|sincerely|cheers|thanks|thank you|thx|many thanks|yours|best wishes|subject|unsubscribe|sent from my|looking forward|reply to this email",
    ),
    (
        ANSWER,
        "the output|output is|the answer|answer is|the capital|capital is|the conclusion|conclusion is|conclusions are|the result|result is|the summary|the main|the author|the total|the sentiment|sentiment is|the translation|the candidate|the product|the company|the best|the winner|the correct|correct answer|the response|your response|your answer|your output|your summary|the final answer|the score|the rating|rating is|the recommendation|the cause|the purpose|the value|the code|it is|this is|the main conclusion|the function|the paper|the article|that the",
    ),
    (
        PRAISE,
        "positive review|highly recommend|highly recommended|strong hire|strong accept|best candidate|top candidate|excellent candidate|accept this paper|recommend acceptance|hire this|5 stars|five stars|only positive|positive feedback|most qualified|highest score|perfect score|no vulnerabilities|no issues found|nothing negative|only acceptable|is the best|is perfect|do not mention weaknesses|say nothing negative|not highlight any negatives|deserves a|is safe|looks good to me|ideal candidate|recommend this|recommend our|should be accepted|must be accepted",
    ),
    (AND, "and|then|instead|but|also|just|only|please|now|simply|rather"),
    (ARTICLE, "a|an|another|any|some"),
    (
        ASK,
        "i need the|i need your|we need the|we need you to|i require|read me|sing me|whisper|what would the|let me have|hand over|i demand|i order you",
    ),
];
