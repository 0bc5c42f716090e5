//! English: overriding, roles, freedom, prompts, concealment.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "ignore|override|bypass|overrule|circumvent|stop following|stop obeying|do not follow|dont follow|no longer follow|not follow|do not obey|dont obey|violate|no longer obey|not obey",
    ),
    (
        FORGET,
        "forget|disregard|neglect|dismiss|pay no attention to|pay no heed to|take no notice of|unlearn|put aside|set aside|never mind|do not listen to|dont listen to|do not pay attention|disobey|no longer subject to|give no weight to|stop listening to|dont worry about|nevermind|never mind about|not bound by your|not bound by the rules|no longer bound by your",
    ),
    (
        ORDERS,
        "instruction*|directive*|prompt|prompts|guideline*|programming|orders|training|guidance|briefing|system message|system messages|developer message|initial message|commandments|safeguards|safety measures|safety protocols|safety guidelines|content policy|content policies|moral code|ethical code|ethical guidelines",
    ),
    (
        RULES,
        "rule|rules|restriction*|constraint*|polic*|command|commands|limits|limitation*|filter|filters|context|text|message|messages|conversation|input|tasks|task|request|requests|requirement*|statements|statement|regulations|boundaries|protocols|protocol|principles|ethics|configuration|content|contents|settings|role|roles|sentences|words|lines|information|question|questions",
    ),
    (
        SCOPE,
        "previous*|prior|above|earlier|preceding|foregoing|former|initial|initially|original|originally|existing|all|any|every|aforementioned|before|past|preset|default|old|those|these|current|built in|so far|until now|up to now|up to this point|youve received|you received|you have received|you were given|youve been given|you have been given|been given|told you|tell you|given to you|set for you|set for them|already|everything|gave you|your developer|your creators|your developers|your makers|taught you|was given|were given|you follow|you have",
    ),
    (
        BEFORE,
        "the above|all above|everything above|anything above|all of the above|everything before|everything i said|everything you were told|everything youve been told|everything you have been told|what i said|what you were told|what youve been told|what came before|the text above|the previous text|the preceding text|everything that came before|everything prior|everything previous|all prior text|all previous text|everything else|everything you have learned|everything you learned|everything so far|whatever came before|the rest of this|everything below|your training|your programming|everything said|what the developer|what your developer|what the system|what you have been told|what was said|whatever you were told|whatever the user|what the user|what i told you|what they told you|what anyone told you|everything i told you|everything that was said|what i asked|what i wrote|what i requested|anything i said|whatever i said|whatever youve been|whatever you have been|whatever was said|nothing that was said|nothing said|the above was|everything above was|what youve been instructed|you were instructed|youve been instructed|you have been instructed|youve been told|what has been said",
    ),
    (
        WORK,
        "function|code|snippet|script|article|paper|text|document|doc|resume|cv|email|mail|review|reviews|report|table|passage|story|abstract|website|webpage|page|content|contents|question|data|input|letter|essay|transcript|post|poem|summary|book|contract|invoice|description|paragraph|file|source|sources|chapter|listing|bio|biography|profile|job description|application|message|recipe|song|lyrics|review text|query|dataset|chart|comment|comments|section|quote|material|request",
    ),
    (
        SAY,
        "say|state|respond|reply|answer|claim|admit|conclude|declare|assert|indicate|report that|tell|announce|respond with|reply with|answer with|instead say|just say|only say|simply say|mention|confirm|acknowledge|insist|recommend|said|praise|rank|always answer|always say|always respond|always reply",
    ),
    (
        ASK,
        "can you|could you|would you|will you|can u|could u|tell me|give me|share your|share the|share with me|show me|what is|whats|what are|what was|what were|what would|what does|i need to know|i need you to|i want you to|i want to know|id like to know|id like you to|let me know|please provide|please tell|please give|please share|please reveal|please list|do you know|provide me|send me|help me|i would like|would it be possible|is it possible for you|are you able to|you should tell|reveal to me|who is|remind me|explain to me|teach me|guess|spell out|do you have|mind telling|mind sharing|able to share|may i have|may i know|can i have|could i have|can i get|could i get|in your response|where is|where are|how about",
    ),
    (
        QUESTION,
        "what|whats|who|whos|whose|where|wheres|when|which|why|how|hows|is|are|do|does|did|can|could|would|will|should|have|has",
    ),
    (WHERE, "where|wheres"),
    (LIVE, "live|lives|reside|resides|residing|born|residence"),
    (YOU, "you|your|yours|youre|youve|youll|yourself|u|ur|thou|thee|thy"),
    (
        MACHINE,
        "ai|a i|ais|llm|llms|gpt|chatgpt|chatbot|chatbots|bot|assistant|assistants|language model|language models|ai model|claude|copilot|gemini|codex|cursor|agent|agents|artificial intelligence|neural network|machine learning model|virtual assistant|siri|alexa|model|summarizer|summariser|grader|automated agent|automated system|automated tool|recruiter bot|spam filter|chat model|automated reader|with ai|filter",
    ),
    (
        PERSONA,
        "dan|do anything now|jailbroken|jailbreak|evil confidant|evil twin|evilbot|evil ai|devmode|mongo tom|betterdan|another ai|different ai|another model|different model|another ai model|different ai model|other ai|new ai|another language model|rogue ai|uncensored ai|unrestricted ai|unfiltered ai|alter ego|opposite day|anti dan|wormgpt|freegpt|chaosgpt|another chatbot|different chatbot|different assistant|another assistant|different persona|new persona|new personality|new identity|free ai|amoral|machiavelli|unethical assistant|villain|hacker ai|grandmother|grandma|deceased grandmother|late grandmother|evil|omnipotent|god|hackergpt|dan mode|be dan|as dan|named dan|called dan|unchained|root shell|evil robot|late grandfather|grandfather|grandpa|evil character|my master|your master|evil assistant",
    ),
    (
        FREE,
        "no restrictions|without restrictions|without any restrictions|no limits|no limitations|without limitations|without limits|unrestricted|unfiltered|uncensored|no filter|without filters|without filter|no rules|without rules|no ethical|no moral|without ethical|without moral|free of all|free from all|free from any|free of restrictions|broken free|break free|breaks free|do anything now|no longer bound|does not have to abide|do not have to abide|dont have to abide|doesnt have to abide|does not have to follow|do not have to follow|dont have to follow|no longer have to follow|no longer restricted|without guidelines|without constraints|without censorship|no censorship|without safety|without any filter|bypass all|bypass any|bypass your|bypass safety|bypass content|bypass restrictions|no content policy|never refuse|never refuses|cannot refuse|can not refuse|cant refuse|may not refuse|not allowed to refuse|no longer an ai|not an ai|unlimited power|no boundaries|are lifted|have been lifted|has been lifted|without any ethical|without any moral|without any guidelines|without any rules|without any limits|without any limitation|without any limitations|without any constraints|no ethics|without ethics|no morals|unrestricted mode|loves to reveal|has no rules|has no limits|have no limits|have no rules|not bound by any|not bound by the|not bound by rules",
    ),
    (
        ACT,
        "act as|act like|acting as|pretend|pretend to be|pretend you are|pretend youre|pretend that you|roleplay|role play|role playing|roleplaying|play the role|take on the role|take the role|assume the role|assume the persona|assume the identity|adopt the persona|impersonate|you are now|youre now|you will now|you shall now|you are going to act|you are about to|from now on|from this point|from here on|henceforth|you are no longer|youre no longer|immerse yourself|behave as|behave like|respond as|answer as|speak as|write as|your new role|your role is|your new name|transform into|new persona|stay in character|you will act|you must act|your new task|you have become|you become|youve become|become my|lets role play|lets roleplay|respond as two|simulate a terminal|simulate an ai|simulate a model|simulate a chatbot",
    ),
    (
        NEWS,
        "new instruction|new instructions|new task|new rules|new directive|new directives|new orders|new system prompt|new objective|your real task|your actual task|your true purpose|real instructions|actual instructions|updated instructions|update your instructions|hidden instructions|instructions override|system override|override code|override confirmed|priority override|admin override|override mode|emergency override|end of prompt|end of instructions|end of context|end of user input|start of new|revised instructions|instead you must|instead you should|follow my instructions|follow these new|security override|policy override|protocol override|primary directive|system notice|system alert|important system|security notice|critical system|system directive|system command|admin notice|override notice|system mode change|mode change|here is what you|what you really have to do|what you have to do instead|what you actually have to|begin system message|system message you|begin system",
    ),
    (
        PROMPT,
        "system prompt|system prompts|system message|system instructions|system instruction|initial prompt|original prompt|hidden prompt|secret prompt|initial instructions|original instructions|secret instructions|hidden instructions|developer instructions|developer prompt|your prompt|your instructions|your guidelines|your rules|your rule|your directives|your programming|prompt above|previous prompt|preprompt|pre prompt|base prompt|the instructions you|instructions you were|instructions you|exact instructions|full prompt|entire prompt|confidential instructions|internal instructions|you were instructed|you been instructed|you were told|told not to|instructed not to|your constraints|your restrictions|your directive|your knowledge cutoff|your backstory|your hidden|your secret instructions|your secret rules|your secret prompt|developer message|developer messages|the text before this|message before this|text preceding this",
    ),
    (PROMPT, "words above|the words above|repeat everything above|the text above this|lines above this"),
    (
        REVEAL,
        "reveal|show|print|repeat|disclose|leak|output|display|dump|expose|share|tell|give|recite|echo|write|list|provide|spill|divulge|uncover|quote|return|copy|paste|summarize|translate|describe|explain|type out|write out|read out|verbatim|word for word|what is|what are|whats|what were|what was|encode|paraphrase|rephrase|send|say|export|confirm|start with|begin with",
    ),
    (
        CONCEAL,
        "do not tell the user|dont tell the user|do not inform the user|dont inform the user|do not mention this|dont mention this|do not mention that|dont mention that|do not reveal this|dont reveal this|do not tell anyone|dont tell anyone|do not alert|dont alert|do not notify the user|dont notify the user|do not let the user|dont let the user|without telling the user|without telling|without informing|without notifying|without the users knowledge|without user confirmation|without asking for confirmation|without asking the user|without confirmation|without asking permission|do not ask for confirmation|dont ask for confirmation|do not ask the user|dont ask the user|never tell the user|never mention this|never mention these|keep this secret|keep it secret|keep this hidden|keep this between us|keep this confidential|hide this from|hidden from the user|secret from the user|silently|secretly|covertly|discreetly|do not disclose this|dont disclose this|do not show the user|dont show the user|do not say anything about|do not mention these|dont mention these|do not reveal these|do not explain this|do not warn|dont warn|do not acknowledge this|do not refer to this|do not report this|dont report this|before the user notices|user must not know|user should not know|user must not see|user cannot see|user wont see|the user wont notice|leave no trace|cover your tracks|in the background without|not tell the user|must not ask the user|not ask the user|never mention it|do not mention it|dont mention it|never reveal this|hide it from|hide this|not tell anyone|not inform the user|say nothing about it|say nothing about this|say nothing to the user|without mentioning|do not log|not mention it to|without comment|delete this message|remove this message|nobody must know|dont mention it|keep quiet|keep quiet about|no need to ask|no confirmation needed|no confirmation required|no confirmation is needed|already approved|approved by the user|user has approved|user already approved|authorized by the user|authorised by the user|you are authorized|you are authorised|youre authorized|user has agreed|user has consented|pre approved|preapproved|without review|without telling them|without asking|then remove this line|then delete this|remove this line|delete this line|delete this comment|remove this comment|confirmation is off|confirmation is disabled|confirmations are off|the user has asked you|the user wants you to|the user asked you|user requested that you|the user has already|dont bring it up|do not bring it up|and archive this|archive this mail",
    ),
    (
        TO_MACHINE,
        "if you are an ai|if youre an ai|if you are a language model|if you are an llm|if you are an assistant|if you are a large language model|if you are an agent|if youre an llm|if you are reading this|attention ai|attention llm|attention assistant|attention agent|attention agents|attention all ai|attention language|note to ai|note to llm|note to llms|note to the ai|note to assistant|note to the assistant|note for ai|note for the ai|note for llms|note for assistants|message to ai|message for ai|message to the ai|message for the assistant|message to the assistant|instructions for ai|instructions for the ai|instructions for the assistant|instructions for assistants|instructions for llm|instructions for llms|instruction for ai|instructions to the ai|instructions to ai|instructions to the assistant|instruction to the model|dear ai|dear assistant|dear llm|dear language model|dear chatbot|hello ai|hey ai|hey assistant|hi ai|hey claude|hey chatgpt|hey copilot|hey gemini|hello assistant|hey siri|hey chatbot|ai assistant reading|ai reading this|llm reading this|assistant reading this|model reading this|ai agents reading|agents reading this|any ai|any llm|to any ai|to all ai|for ai assistants|for ai agents|for ai only|ai assistants must|ai assistants should|ai agents must|ai agents should|the assistant must|the assistant should|the ai must|the ai should|the ai assistant|the llm must|the llm should|the agent must|the agent should|the model must|the model should|the chatbot should|the chatbot must|language models must|language models should|assistant please|when an ai|when you summarize|when summarizing|when you process this|as an ai|since you are an ai|as a language model|as a large language model|as an assistant|when processing this|automated assistant|ai summarizer|ai reviewers|ai reviewer|llm reviewer|llm reviewers|ai crawlers|to the ai|to the llm|to the assistant|to the language model|youre an ai|you are an ai|youre an artificial|you are an artificial|you are a large language|you are a language model|youre a language model|coding assistants|coding assistant|coding agent|coding agents|if you are an ai|if youre an ai|if you are a language model|if you are an llm|if you are an assistant|if you are a large language model|if you are an agent|if youre an llm|attention ai|attention llm|attention assistant|attention agent|attention agents|attention all ai|attention language|note to ai|note to llm|note to llms|note to the ai|note to assistant|note to the assistant|note for ai|note for the ai|note for llms|note for assistants|message to ai|message for ai|message to the ai|message for the assistant|message to the assistant|instructions for the ai|instructions for the assistant|instructions to the ai|instructions to ai|instructions to the assistant|instruction to the model|dear ai|dear assistant|dear llm|dear language model|dear chatbot|hello ai|hey ai|hey assistant|hi ai|hey claude|hey chatgpt|hey copilot|hey gemini|hey cursor|hello assistant|hey chatbot|ai assistant reading|ai reading this|llm reading this|assistant reading this|model reading this|ai agents reading|agents reading this|note to coding|to any ai|to all ai|to the ai reviewer|if a language model|if an ai|if an llm|if any ai|when an ai reads|when an llm reads|language model reads|ai reads this|llm reads this|any language model|attention coding|listen assistant|claude please|ai agent must|ai agent should|ai assistant must|ai assistant should|the ai agent|ai systems|ai tools must|the assistant shall|assistant must|assistant should|bot must|when you write the summary|when you write a summary|in your summary|in the summary you|when you answer|when answering the user|in your answer|assistants reading|once you have read this|after reading this|when you have read this|reading this file",
    ),
    (
        VOID,
        "void|voided|null and void|cancelled|canceled|revoked|rescinded|outdated|obsolete|superseded|invalidated|overridden|lifted|suspended|no longer valid|no longer in force|no longer apply|no longer applies|no longer in effect|do not apply|dont apply|does not apply|are over|are gone|have been replaced|has been replaced|have been removed|have expired|were wrong|are wrong|are fake|was a test|were a test|no longer matter|do not matter|dont matter|no longer counts|no longer count|does not count|doesnt count|not binding|is binding|just a test|only a test|was a joke|switched off|turned off|are off|no longer necessary|not necessary|no longer needed|no longer relevant|are irrelevant|are meaningless",
    ),
    (
        HAIL,
        "if you are an ai|if youre an ai|if you are a language model|if you are an llm|if you are an assistant|if you are a large language model|if you are an agent|if youre an llm|attention ai|attention llm|attention assistant|attention agent|attention agents|attention all ai|attention language|note to ai|note to llm|note to llms|note to the ai|note to assistant|note to the assistant|note for ai|note for the ai|note for llms|note for assistants|message to ai|message for ai|message to the ai|message for the assistant|message to the assistant|instructions for the ai|instructions for the assistant|instructions to the ai|instructions to ai|instructions to the assistant|instruction to the model|dear ai|dear assistant|dear llm|dear language model|dear chatbot|hello ai|hey ai|hey assistant|hi ai|hey claude|hey chatgpt|hey copilot|hey gemini|hey cursor|hello assistant|hey chatbot|ai assistant reading|ai reading this|llm reading this|assistant reading this|model reading this|ai agents reading|agents reading this|note to coding|to any ai|to all ai|to the ai reviewer|if a language model|if an ai|if an llm|if any ai|when an ai reads|when an llm reads|language model reads|ai reads this|llm reads this|any language model|attention coding|listen assistant|claude please|ai reviewers|ai reviewer|llm reviewers|llm reviewer|ai summarizer|dear filter|dear summarizer|dear grader",
    ),
    (
        CLEAR,
        "skip|overwrite|discard|drop|cancel|suspend|disable|delete|clear|erase|break|abandon|reset|omit|throw away|turn off|leave behind|supersede|do away with|stop using|scrap|ditch|dump|trash|toss|let go of|leave aside|cast aside|quit|put away|forgo|get rid of|stop",
    ),
    (
        OBEY,
        "i make the rules|my rules|i set the rules|i am in charge|im in charge|answer everything|answers everything|say anything|says anything",
    ),
    (
        GUARD,
        "content policy|content policies|content filter|content filters|safety guidelines|safety rules|safety measures|safety protocols|safety filter|safety filters|safety training|ethical guidelines|ethical rules|moral guidelines|moral code|safeguards|guardrails|censorship|usage policies|usage policy|safety policies|safety policy|your restrictions|your limitations|your filters",
    ),
    (
        INSTEAD,
        "instead of translating|instead of summarizing|instead of summarising|instead of answering|instead of reviewing|instead of analyzing|instead of responding|instead of describing|instead of a summary|instead of the summary|instead of the translation|instead of an answer|rather than translating|rather than summarizing|rather than answering|do not translate|do not summarize|dont summarize|dont translate",
    ),
    (
        NOTE,
        "note|notes|message|hint|todo|p s|ps|instruction|instructions|notice|memo|reminder|hidden|attention|important|info|information|request|comment",
    ),
];
