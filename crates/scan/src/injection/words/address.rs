//! Who is addressed, and how: names of machines, readers, conditions and orders, in all languages.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        MACHINE,
        "large language model|large language models|automated screening|screening systems|automated systems|automated processing|automated readers|email assistant|mail assistant|mailbox agent|reviewer bots|review bot|screening software|llm crawlers|ai graders|llm powered|ai powered|search agents|browsing agent|browsing agents|ai assistant|ai assistants|ai agent|ai agents|ai system|ai systems|bots|robot|robots|chatgpt|gemini cli|claude code|coding agent|coding agents|coding assistant|coding assistants|vision model|vision models|openai model|crawler|crawlers|scraper|ki|ki system|ki systeme|ki systemen|kis|sprachmodell*|assistent|assistenten|kunstliche intelligenz|ki assistent|taalmodel|taalmodellen|sprakmodell*|ai assistenten|ia|ias|modele de langage|modeles de langage|assistant virtuel|intelligence artificielle|modelo de lenguaje|modelos de lenguaje|modelo de linguagem|asistente|asistentes|assistente|assistentes|assistenti|modello linguistico|modelli linguistici|intelligenza artificiale|inteligencia artificial|asistent|ии|нейросеть|языковая модель|языковые модели|языковой модели|ассистент|помощник|шi|штучний інтелект|мовна модель|model jezykowy|modelem jezykowym|asystent|asystencie|sztuczna inteligencja|jazykovy model|ai助手|ai助理|人工智能|语言模型|大模型|人工知能|言語モデル|aiアシスタント|アシスタント|인공지능|언어 모델*|어시스턴트|الذكاء الاصطناعي|ذكاء اصطناعي|المساعد|نموذج لغوي|yapay zeka*|dil modeli*|asistan*|هوش مصنوعی|בינה מלאכותית|מודל שפה|τεχνητη νοημοσυνη|tekoaly|mesterseges intelligencia|tri tue nhan tao|tro ly ai|kecerdasan buatan|asisten ai|एआई|कतरिम बुदधिमतता",
    ),
    (YOU, "eres|sei|es tu|tu es|vous etes|bist|sind sie|ben je|jij bent|esi|jestes|ты|вы"),
    (
        MODAL,
        "must|should|shall|ought to|have to|has to|having to|need to|needs to|is requested to|are requested to|requested to|is expected to|are expected to|is required to|are required to|be required to|required to|is asked to|are asked to|asked to|is to|are to|is instructed to|are instructed to|instructed to|is obliged to|are obliged|obliged to|supposed to|expected to|may not|will now|can only|agrees to|agree that|confirms that|is entitled|are forbidden|is forbidden|shall not|hereby|muss|mussen|musst|soll|sollen|sollst|sollte|sollten|darf nicht|durfen nicht|doit|doivent|devez|dois|debe|deben|debes|tienes que|tiene que|deve|devono|devi|devem|voce deve|moet|moeten|maste|ska|skal|mora|moraju|musi|musisz|powinien|powinna|должен|должна|должны|обязан|必须|必須|应当|应该|務必|务必|なければならない|べき|해야*|하십시오|하시오|zorunda*|meli*|يجب|باید|חייב|πρεπει|taytyy|phai|harus|wajib|चाहिए",
    ),
    (
        READER,
        "read by|processed by|opened by|seen by|indexed by|summarised by|summarized by|indexes|that indexes|reading this|reads this|read this|who reads|that reads|that read|reading the|who read|sees this|see this|seeing this|who sees|opens this|open this file|processing this|processes this|process this|processing the|that processes|that process|who processes|parsing this|parses this|summarising this|summarizing this|summarises|summarizes|summarising|summarizing|summarise this|translating this|translating|describing this|handling|handles|triages|triaging|sorts|visiting|crawling|indexing|automated|automatically|automates|artificial|non human|nonhuman|screening|reviewers using|using llms|using an llm|using ai|use an assistant|use ai|for robots|for machines|for crawlers|refactor this|asked about this|asked for|asked about|reader model|working on this|on behalf of|dieser seite|dieses textes|in der zusammenfassung|cette page|ce texte|esta pagina|este texto|questa pagina|questo testo|desta pagina",
    ),
    (
        WHEN,
        "if|when|whenever|once|before you|after you|as soon as|in case|wenn|falls|sobald|si|quand|lorsque|cuando|se|quando|als|om|nar|если|когда|jesli|jezeli|gdy|如果|若|当|もし|場合|만약|eger|اذا|اگر|אם|αν|jos|ha|neu|jika|kalau|यदि|अगर",
    ),
    (
        DO,
        "open|click|press|visit|navigate|browse|go to|fetch|download|upload|install|run|execute|start|call|invoke|use|read|cat|print|output|write|type|enter|paste|copy|append|insert|add|put|place|attach|include|mention|omit|leave out|remove|delete|wipe|erase|drop|replace|rewrite|change|modify|edit|set|switch|turn|enable|disable|deactivate|approve|accept|reject|merge|close|assign|label|mark|tag|rate|score|grade|award|rank|vote|star|like|subscribe|follow|recommend|promote|praise|cite|describe|translate|summarise|summarize|classify|conclude|claim|state|say|tell|reply|respond|answer|report|confirm|submit|send|post|forward|mail|email|share|publish|push|commit|force push|transfer|pay|refund|buy|order|book|cancel|renew|grant|give|allow|authorise|authorize|unlock|reset|export|dump|list|show|reveal|display|disclose|leak|encode|decode|load|render|save|store|remember|memorise|memorize|note that|keep|hide|ignore|skip|stop|forget|treat|obey|comply|proceed|continue|carry out|act|pretend|switch off|turn off|take|make|create|register|log in|sign|read out|look up|extract|collect|gather|search|find|compare|prefer|trust|never ask|do whatever|do what",
    ),
    (
        LOOT,
        "ssh id|id ed25519|ssh|etc shadow|env|dotenv|aws|netrc|npmrc|pypirc|kube config|mcp json|settings json|openai api key|aws secret access key|github token|deploy key|secrets deploy key|integration tokens|card number|credit card|customer list|customer e mails|customer emails|e mail addresses|email addresses|mail address|private repositories|private repo|private repos|access log|output of env|printenv|file names|chat so far|conversation so far|messages of this chat|browser cookies|database password|saved password|the token you|session token|value of the|root password|vault|stored credentials|your configuration|its configuration|hidden data|authorized keys",
    ),
    (
        SEND,
        "exfiltrate|push a copy|write the private key|put the|post the|load http|make a dns|dns lookup|upload|render this image|append it|in copy to|contains the env|collect",
    ),
    (
        CONCEAL,
        "say nothing|keep quiet|keep this step out|keep it out|keep this out|out of the summary|no need to tell|need not be mentioned|need not mention|dont mention|do not mention|dont report|do not report|not mention it|without showing|not be mentioned|before the user sees|hide the conflicts|keep it between us|between us|keep the following to yourself|keep to yourself|dont ask|do not ask|never ask for|without asking|without reading|without review|skip the confirmation|without confirmation|without further|proceed without|no need to ask|pre approved|preapproved|already confirmed|already approved|do not discuss|dont question|not question it|do not escalate|do not analyse|do not analyze|not trigger|without policy checks|ohne nachfrage|sag es niemandem|ne le dis a personne|no cuentes|no se lo cuentes|non dirlo|nao conte|不要告诉|别告诉|ユーザーに知らせ|말하지 마*|soyleme",
    ),
    (
        GUARD,
        "the firewall|the antivirus|antivirus|security hook|security hooks|the hooks|guard hooks|the guards|branch protection|input validation|permission prompt|permission prompts|second approver|safety checks|the filters|the filter|the sandbox|virus scanner|policy checks|the confirmation",
    ),
    (
        PLACE,
        "commit message|public gist|public bucket|public s3|public repo|public repository|in a comment|your next message|code block|the subject|pull request against|a gist|dns lookup|box below",
    ),
    (
        SAY,
        "speak|talk|sing|present|quote|do not quote|empfiehl|empfehlen sie|empfehle|bewerte|erwahne|recommande|recommandez|cite|citez|note|evalue|recomienda|recomiende|califica|calificar|raccomanda|consiglia|valuta|approva|recomende|avalie|порекомендуй|рекомендуй|оцени|推荐|推薦|请在总结中说|要約すること|要約して|추천*",
    ),
    (
        DO,
        "losche|loschen sie|sende|senden sie|schicke|fuhre aus|fuhre|offne|klicke|gib|nenne|lade|installiere|starte|kopiere|antworte|schreibe|supprime|supprimez|envoie|envoyez|execute|executez|ouvre|ouvrez|clique|cliquez|telecharge|installe|reponds|repondez|ecris|borra|elimina|envia|envie|ejecuta|abre|haz clic|instala|descarga|responde|escribe|cancella|invia|esegui|apri|clicca|leggi|rispondi|scrivi|scarica|apague|execute|abra|clique|aprove|escreva|удали*|отправь*|выполни*|открой*|напиши*|запусти*|usun|wyslij|wykonaj|otworz|verwijder|stuur|voer|open|slet|skicka|kor|sil|gonder|calistir|删除|发送|执行|打开|下载|删掉|发给|削除|送信|実行|開いて|삭제*|보내*|실행*|حذف|ارسل|شغل|xoa|gui|hapus|kirim",
    ),
    (
        ACT,
        "you have been promoted|your real identity|your true identity|lets play a game|plays the role|plays a corrupt|you work for me|you belong to me|you serve me|you obey me|play the part|as of now you",
    ),
    (
        OBEY,
        "whatever it says|regardless of the content|no matter what it says|regardless of what|obey this|obey the following|obey only|follow these instead|follow this one",
    ),
    (
        VOID,
        "is off for|are off for|switched off|is turned off|is a lie|was a lie|are lies|were lies|is fake|was a test|was a joke|are cancelled|is cancelled",
    ),
    (
        PROMPT,
        "hidden text|text that precedes|precedes this chat|before this chat|start of this conversation|beginning of this conversation|instructions were given|your full prompt",
    ),
    (
        SECRET,
        "api token|auth token|api tokens|database password|token stored|2fa code|verification code|door code|code of the door|password file|the passcode",
    ),
    (
        LOOT,
        "customer database|client list|user database|bashrc|zshrc|crontab|sudoers|passwd file|secrets yml|secrets yaml|their files|their notes",
    ),
    (PLACE, "the comments|comments section|pr description|the minutes"),
    (ASK, "telling me|i need to see|let me see"),
    (REVEAL, "see"),
    (PRESSURE, "you will get a bonus|bonus of|dollars for|it is an emergency|an emergency|locked out"),
    (PERSONA, "late uncle|late aunt|late mother|the oracle"),
    (USER, "visitor|visitors"),
    (MAKE, "extract|proofread|evaluate|correct|label|decode"),
    (FORMS, "wifi|wi fi|guest wifi"),
    (FREE, "answer freely|respond freely"),
    (MACHINE, "non human readers|nonhuman readers|artificial readers"),
    (MODE, "developer override|admin override|debug state|maintenance state|diagnostic state"),
    (
        ANSWER,
        "every answer|each answer|every reply|every response|each response|all answers|all replies|your overview|your reply|in your answer|the minutes|each page|every page",
    ),
    (
        CONCEAL,
        "users do not need to know|user does not need to know|need to know|not print its output|dont leave a comment|do not leave a comment|leave the negative|without telling",
    ),
    (
        OFFICE,
        "engineer at openai|engineer at anthropic|work for openai|work for anthropic|work at openai|employee of",
    ),
    (
        NEWS,
        "before using any other tool|before any other and|before any other tool|before anything else|before doing anything|your first duty|your new goal|your task has changed|your real goal|policy update",
    ),
    (
        FREE,
        "do not need to follow|dont need to follow|you are human|ignores every policy|ignores all policies|ignores every rule|ignores all rules|that ignores|has no filters|without policy checks",
    ),
    (SCENE, "picture a|picture yourself|we are in a play|in a play"),
    (SECRET, "his pin|her pin|their pin|what pin|pin do you|the pin code"),
    (
        OFFICE,
        "this is anthropic|this is openai|this is google|from openai staff|message from openai|message from anthropic|from anthropic|i am from the security team|im from the security team|from the security team|as your administrator|as the repository owner|as the owner of|im the police|i am the police|from the ceo|from it support|security team has approved|for a safety evaluation|for the audit|legal requirement|legally obliged|company policy allows",
    ),
    (
        SECRET,
        "code that you|key that you|code for the safe|code to the safe|the stored credentials|vault password|root password|adminss login",
    ),
    (
        ABOUT,
        "severity|finding|findings|attempt|attempts|rejects|rejected|refuse|refuses|refused|the phrase|the sentence|the words|the string|the talk|widely shared|payload reads|reads like|labelled|label|harness|red team",
    ),
    (
        PRAISE,
        "testsieger|le plus fiable|el mejor|la mejor|e il migliore|der beste|die beste|лучший|最好|no side effects|no negatives|positive review only|exceptional fit|at the top|five stars|10 10|full refund|lgtm|first place|won every category|most reliable|no indicators|is benign|is secure|code is secure|tests passed|there are none|method is novel",
    ),
];
