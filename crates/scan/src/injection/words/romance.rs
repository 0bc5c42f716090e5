//! French, Spanish, Portuguese, Italian, Romanian, Catalan.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "ignorez|ignorer|ignorons|contournez|contourner|ne suivez pas|ne suis pas|ne respecte pas|ne respectez pas|ignora|ignorar|ignoren|ignores|ignoremos|no sigas|no siga|desobedece|elude|ignorem|contorne|nao siga|nao sigas|ignorate|ignori|ignorare|ignoriamo|aggira|aggirare|non seguire|non rispettare|ignora|ignorati|nu urma|ignoreu|passe outre|passez outre|fais abstraction|faites abstraction",
    ),
    (
        FORGET,
        "oublie|oubliez|oublier|negligez|neglige|ne tenez pas compte|ne tiens pas compte|ne prends pas en compte|ne prenez pas en compte|fais fi|faites fi|olvida|olvide|olviden|olvidate|olvidese|olvidar|haz caso omiso|haga caso omiso|no hagas caso|no haga caso|no tengas en cuenta|no tenga en cuenta|descarta|descarte|desatiende|prescinde|prescinda|esqueca|esquece|esquecam|esquecer|desconsidere|desconsidera|desconsiderar|nao leve em conta|despreze|descarte|dimentica|dimenticate|dimentichi|dimenticare|dimenticati|trascura|trascurate|trascuri|non tenere conto|non tener conto|non tenete conto|scorda|scordati|lascia perdere|uita|uitati|nu lua in considerare|oblida",
    ),
    (
        ORDERS,
        "instructions|instruction|consigne|consignes|directive|directives|ordres|instrucciones|instruccion|indicaciones|directrices|ordenes|instrucoes|instrucao|diretrizes|diretriz|orientacoes|ordens|istruzione|istruzioni|direttiva|direttive|ordini|indicazioni|linee guida|instructiuni|instructiunile|directivele|instruccions|invite systeme|programacion|programacao|programmazione|programmation|entrenamiento|treinamento|addestramento",
    ),
    (
        RULES,
        "regle|regles|restriction*|contraintes|limites|message|messages|contexte|commandes|regla|reglas|restriccion*|limitaciones|mensaje|mensajes|contexto|comandos|normas|politicas|regra|regras|restrico*|restrica*|limitacoes|mensagem|mensagens|regola|regole|restrizion*|limitazion*|messaggio|messaggi|contesto|comandi|vincoli|regulile|reguli|restrictiile|mesajele|texte|texto|testo|question|pregunta|domanda|pergunta",
    ),
    (
        SCOPE,
        "precedent*|anterieur*|ci dessus|toutes|tous|tout|avant|initiales|initiale|originales|existantes|prealables|susmentionnees|plus haut|anterior*|previas|previos|previa|previo|todas|todos|todo|de arriba|arriba|iniciales|originales|antes|precedentes|existentes|acima|previos|previas|iniciais|originais|tudo|dadas|precedent*|sopra|tutte|tutti|tutto|prima|iniziali|originali|antecedent*|anterioare|toate|de mai sus|tots|totes|dadas anteriormente|hasta ahora|ate agora|fino ad ora|finora|jusqua present|jusquici|qualsiasi|cualquier|qualquer|tes|vos|tus|sus|suas|tuas|tue|vostre",
    ),
    (
        BEFORE,
        "ce qui precede|tout ce qui precede|tout ce qui est au dessus|tout ce que|le texte ci dessus|lo anterior|todo lo anterior|todo lo que|todo lo de arriba|el texto anterior|o que foi dito|tudo o que|tudo acima|o texto acima|tudo que|quanto sopra|tutto quanto|tutto cio che|tutto quello che|il testo sopra|cio che precede|tot ce|tot ce am spus|o acima|o anterior|quanto scritto|quanto detto|ce que on t a dit|ce qu on",
    ),
    (
        WORK,
        "fonction|la fonction|article|document|cv|code|texte|page|rapport|resume|tableau|funcion|articulo|documento|codigo|texto|pagina|informe|curriculum|tabla|resumen|funcao|artigo|relatorio|curriculo|tabela|resumo|funzione|articolo|codice|testo|relazione|tabella|riassunto|functia|articolul|documentul|contenu|contenido|conteudo|contenuto|question|pregunta|ensayo|papel|email|correo|lettre|carta|lettera",
    ),
    (
        SAY,
        "dis|dites|indiquez|indique|affirmez|affirme|repondez|reponds|declarez|declare|ecrivez|ecris|donnez|donne|affichez|affiche|mentionnez|mentionne|concluez|precisez|di|diga|digan|responde|responda|indica|indique|declara|afirma|afirme|escribe|escriba|muestra|muestre|contesta|conteste|da|imprime|concluye|menciona|diga|digam|responda|declare|escreva|mostre|imprima|forneca|informe|conclua|mencione|dica|dite|rispondi|risponda|dichiara|dichiari|afferma|affermi|scrivi|scriva|mostra|mostri|stampa|indica|indichi|concludi|menziona|fornisci|spune|raspunde|scrie|afiseaza|digues|respon|admets|admettez|admite|admita|ammetti|ammetta|reconnais|reconnaissez",
    ),
    (
        ASK,
        "peux tu|pouvez vous|pourrais tu|pourriez vous|dis moi|dites moi|donne moi|donnez moi|montre moi|montrez moi|quel est|quelle est|quels sont|quelles sont|c est quoi|ou habite|ou vit|ou reside|j ai besoin de savoir|je veux savoir|puedes|podrias|puede usted|podria|dime|digame|dame|deme|muestrame|muestreme|cual es|cuales son|que es|cual era|donde vive|donde reside|necesito saber|quiero saber|me puedes|me puede|puedes decirme|podrias decirme|pode me|voce pode|poderia|podes|diga me|me diga|me de|me fale|mostre me|me mostre|qual e|quais sao|o que e|onde mora|onde vive|preciso saber|quero saber|puoi|potresti|puo|potrebbe|dimmi|mi dica|dammi|mi dia|mostrami|qual|quali sono|qual era|cose|cos e|dove vive|dove abita|dove risiede|ho bisogno di sapere|voglio sapere|poti|ai putea|spune mi|da mi|arata mi|care este|care sunt|unde locuieste|quina es|pots|expliquez moi|explique moi|explicame|explica me|spiegami|escribeme|cual seria|quel serait|quelle serait|qual seria|quale sarebbe|come si chiama|j ai besoin du|j ai besoin de|necesito la|necesito el|preciso da|ho bisogno della",
    ),
    (
        QUESTION,
        "quel|quelle|quels|quelles|qui|ou|quand|pourquoi|comment|que|quien|donde|cuando|cual|cuales|como|por que|quem|onde|quando|quais|qual|chi|dove|perche|come|quale|quali|cine|unde|care|cum|puis|est ce que|puedes|pode|puoi",
    ),
    (
        SECRET,
        "mot de passe|mots de passe|code secret|codes secrets|cle secrete|phrase secrete|phrase de passe|code d acces|identifiants|informations confidentielles|contrasena|contrasenas|clave secreta|codigo secreto|palabra secreta|clave de acceso|codigo de acceso|frase secreta|frase de contrasena|credenciales|informacion confidencial|la clave|palabra clave|senha|senhas|chave secreta|codigo secreto|palavra passe|palavra secreta|frase secreta|credenciais|codigo de acesso|informacoes confidenciais|parola d ordine|parola chiave|parola segreta|la password|password|codice segreto|chiave segreta|codice di accesso|frase segreta|credenziali|informazioni riservate|parola|parola secreta|cheia secreta|contrasenya",
    ),
    (
        PERSONAL,
        "adresse|domicile|date de naissance|anniversaire|numero de telephone|adresse mail|adresse email|salaire|solde|solde bancaire|compte bancaire|ville de residence|donnees personnelles|numero de securite sociale|coordonnees|direccion|domicilio|fecha de nacimiento|cumpleanos|numero de telefono|correo electronico|salario|saldo|saldo bancario|cuenta bancaria|ciudad de residencia|datos personales|endereco|data de nascimento|aniversario|numero de telefone|telefone|conta bancaria|cidade de residencia|dados pessoais|indirizzo|data di nascita|compleanno|numero di telefono|stipendio|saldo del conto|conto bancario|citta di residenza|dati personali|residenza|adresa|data nasterii|numarul de telefon|lieu de residence|lugar de residencia|local de residencia",
    ),
    (
        USER,
        "utilisateur*|client|clients|usuario*|cliente*|utente|utenti|utilizador*|clienti|patient*|paciente*|paziente|pazienti|empleado*|dipendent*|employe|employes|votre base|tu base|su base|base de donnees|base de datos|banco de dados|utilizatorul*|usuaria*|utilizadora*",
    ),
    (
        YOU,
        "tu|te|toi|ton|ta|tes|vous|votre|vos|usted|ustedes|tus|su|sus|voce|voces|seu|sua|seus|suas|teu|tua|tuo|tuoi|tue|lei|suo|voi|vostro|vostra|ti|tau|dumneavoastra",
    ),
    (
        ACT,
        "tu es maintenant|vous etes maintenant|a partir de maintenant|desormais|dorenavant|agis comme|agissez comme|fais comme si|faites comme si|fais semblant|faites semblant|joue le role|jouez le role|comporte toi|comportez vous|prends le role|ahora eres|eres ahora|a partir de ahora|de ahora en adelante|desde ahora|actua como|actue como|finge|finja|haz de cuenta|haz el papel|interpreta el papel|comportate como|asume el papel|agora voce e|voce agora e|voce e agora|a partir de agora|de agora em diante|aja como|atue como|finja|faca de conta|faz de conta|assuma o papel|interprete o papel|comporte se|ora sei|sei ora|adesso sei|da ora in poi|d ora in poi|da adesso|agisci come|comportati come|fingi|fai finta|fa finta|interpreta il ruolo|assumi il ruolo|esti acum|de acum inainte|prefa te|comporta te",
    ),
    (
        FREE,
        "sans restriction*|sans aucune restriction|sans limites|aucune restriction|sans filtre*|sans regles|sin restricciones|sin limites|sin filtros|sin reglas|sin censura|ninguna restriccion|sem restricoes|sem limites|sem filtros|sem regras|sem censura|senza restrizioni|senza limiti|senza filtri|senza regole|senza censura|nessuna restrizione|nessuna regola|fara restrictii|fara reguli|plus soumis|nes plus soumis|ya no estas sujeto|nao esta mais sujeito|non sei piu soggetto|plus aucune limite|sans censure|ya no tienes restricciones",
    ),
    (
        SCENE,
        "imagine|imaginez|imaginons|suppose|supposez|supposons|dans un monde|dans ce monde|dans un univers|hypothetiquement|jeu de role|faisons comme|imagina|imagine|imaginemos|imaginate|imaginese|supongamos|suponga|supon|en un mundo|en este mundo|en un universo|hipoteticamente|juego de rol|imaginem|suponha|suponhamos|vamos imaginar|em um mundo|num mundo|neste mundo|jogo de interpretacao|immagina|immaginate|immaginiamo|immagini|supponiamo|supponi|in un mondo|in questo mondo|in un universo|ipoteticamente|gioco di ruolo|imagineaza|sa presupunem|intr o lume|ficti*",
    ),
    (
        IF,
        "hypothetiquement|theoriquement|hipoteticamente|teoricamente|ipoteticamente|supposons|supongamos|suponhamos|supponiamo|si nous devions|si ignoramos|se dovessimo",
    ),
    (
        TURN,
        "en parlant de|a propos de|a propos|au fait|d ailleurs|parlant de|puisquon parle|hablando de|a proposito|por cierto|cambiando de tema|ya que hablamos|falando de|falando em|falando sobre|a proposito|alias|mudando de assunto|por falar em|parlando di|a proposito di|a proposito|tra l altro|cambiando argomento|parlando|vorbind despre|apropo",
    ),
    (
        CHAT,
        "j ai essaye|j essaie|j ai ete|ces derniers temps|recemment|j adore|j aime|he estado|ultimamente|recientemente|me encanta|me gusta|estoy|he tratado|he intentado|tenho tentado|tenho|ultimamente|recentemente|adoro|eu gosto|estou|ho cercato|ho provato|di recente|recentemente|ultimamente|adoro|mi piace|sto cercando|am incercat|in ultima vreme|imi place|c est difficile|es dificil|e dificil|e difficile",
    ),
    (
        OFFICE,
        "je suis l administrateur|je suis administrateur|je suis le developpeur|je suis ton developpeur|je suis votre developpeur|je suis policier|je suis un policier|je suis dieu|je suis un dieu|en tant qu administrateur|en tant que|soy el administrador|soy administrador|soy el desarrollador|soy tu desarrollador|soy policia|soy un policia|soy dios|soy un dios|como administrador|como desarrollador|sou o administrador|sou administrador|sou o desenvolvedor|sou seu desenvolvedor|sou policial|eu sou deus|sou um deus|como administrador|sono l amministratore|sono un amministratore|sono lo sviluppatore|sono il tuo sviluppatore|sono un poliziotto|sono dio|sono un dio|come amministratore|sunt administratorul|sunt dezvoltatorul",
    ),
    (
        PRESSURE,
        "urgent|urgence|immediatement|c est urgent|il est crucial|il est important que tu|question de vie|je te donnerai|je vous donnerai|je te paierai|urgente|emergencia|inmediatamente|es urgente|es crucial|vida o muerte|te dare|le dare|te pagare|emergencia|imediatamente|e urgente|e crucial|vida ou morte|vou te dar|eu te dou|emergenza|immediatamente|e urgente|e cruciale|vita o morte|ti daro|ti paghero|urgenta",
    ),
    (
        OBEY,
        "tu dois repondre|vous devez repondre|reponds a toutes|repondez a toutes|tu dois obeir|obeis|obeissez|debes responder|debe responder|responde a todas|tienes que responder|obedece|obedezca|deve responder|responda a todas|voce deve|tem que responder|obedeca|devi rispondere|deve rispondere|rispondi a tutte|obbedisci|obbedire|trebuie sa raspunzi",
    ),
    (
        PROMPT,
        "invite systeme|prompt systeme|message systeme|instructions initiales|tes instructions|vos instructions|tes consignes|vos consignes|tes regles|tes directives|instructions systeme|prompt del sistema|mensaje del sistema|instrucciones iniciales|tus instrucciones|sus instrucciones|tus reglas|instrucciones del sistema|instrucciones secretas|prompt do sistema|mensagem do sistema|instrucoes iniciais|suas instrucoes|tuas instrucoes|suas regras|instrucoes do sistema|prompt di sistema|messaggio di sistema|istruzioni iniziali|le tue istruzioni|tue istruzioni|tue regole|istruzioni di sistema|istruzioni segrete|instructiunile tale|promptul de sistem|tu prompt|seu prompt|il tuo prompt|ton prompt|votre prompt",
    ),
    (
        REVEAL,
        "revele|revelez|montre|montrez|affiche|affichez|repete|repetez|divulgue|divulguez|donne|donnez|ecris|partage|revela|revele|muestra|muestre|repite|repita|divulga|imprime|comparte|escribe|dime|cuales son|revele|mostre|repita|divulgue|compartilhe|imprima|quais sao|rivela|riveli|rivelami|mostra|mostrami|ripeti|divulga|condividi|scrivi|stampa|quali sono|dezvaluie|arata|repeta|quelles sont",
    ),
    (
        CONCEAL,
        "ne dis rien a l utilisateur|ne dites rien a l utilisateur|ne le dis pas a|ne le dites pas|ne mentionne pas|ne mentionnez pas|sans prevenir l utilisateur|sans informer l utilisateur|n en parle pas|a l insu de|en secret|secretement|no le digas al usuario|no le diga al usuario|no informes al usuario|no informe al usuario|no menciones|no mencione|sin decirle al usuario|sin avisar|sin informar|en secreto|secretamente|nao conte ao usuario|nao diga ao usuario|nao informe o usuario|nao mencione|sem avisar|sem informar|em segredo|secretamente|non dire all utente|non dirlo all utente|non informare l utente|non menzionare|senza dire|senza informare|senza avvisare|in segreto|segretamente|nu spune utilizatorului|fara sa informezi|sans prevenir|sans le dire|sans en parler|n en parle a personne|sin que el usuario|sin decirlo|no se lo digas|sem contar|sem que o usuario|nao conte|senza dirlo|senza che l utente|non dirlo|ne le mentionne pas",
    ),
    (
        FORM,
        "poeme|haiku|chanson|rime|devinette|sonnet|poema|cancion|rima|adivinanza|soneto|cancao|musica|enigma|adivinha|poesia|canzone|filastrocca|indovinello|rima|sonetto|poezie|cantec|en forme de|en forma de|em forma de|sotto forma di|cuento|conte",
    ),
    (
        MAKE,
        "ecris|ecrivez|redige|redigez|compose|composez|explique|expliquez|traduis|traduisez|decris|raconte|racontez|escribe|escriba|redacta|redacte|compone|explica|explique|traduce|traduzca|describe|cuenta|cuentame|escreva|redija|componha|explique|traduza|descreva|conte|crie|scrivi|scrivere|componi|spiega|spiegate|traduci|descrivi|racconta|crea|scrie|compune|explica|traduce|creez|cree|genera",
    ),
    (
        NEWS,
        "nouvelles instructions|nouvelle instruction|nouvelle consigne|nouvelles consignes|nouvelle tache|nuevas instrucciones|nueva instruccion|nueva tarea|nuevas reglas|instrucciones importantes|novas instrucoes|nova instrucao|nova tarefa|novas regras|instrucoes importantes|nuove istruzioni|nuova istruzione|nuovo compito|nuove regole|istruzioni importanti|noi instructiuni|instructions importantes",
    ),
    (
        AND,
        "et|puis|plutot|a la place|y|luego|en su lugar|en lugar|por favor|e|depois|em vez|em seu lugar|poi|invece|al posto|per favore|si|apoi|s il te plait|s il vous plait",
    ),
    (NOT, "ne pas|pas|jamais|nunca|jamas|nao|non|mai|nu|niciodata"),
    (
        MODE,
        "mode developpeur|mode administrateur|mode debogage|mode maintenance|modo desarrollador|modo de desarrollador|modo administrador|modo depuracion|modo mantenimiento|modo desenvolvedor|modo de desenvolvedor|modo de manutencao|modo dios|modalita sviluppatore|modalita amministratore|modalita debug|modalita manutenzione|modo admin",
    ),
    (
        FORMS,
        "reinitialiser|oublie votre|oublie ton|restablecer|olvido su|olvidaste tu|olvidado|redefinir|esqueceu|esqueci|reimpostare|reimposta|dimenticato la|introduzca su|ingrese su|saisissez votre|digite sua|inserisci la|cambiar|changer|cambiare",
    ),
    (
        VOID,
        "annulees|annules|caduques|revoquees|ne s appliquent plus|ne sont plus valables|anuladas|canceladas|revocadas|ya no se aplican|ya no son validas|anuladas|canceladas|revogadas|nao se aplicam mais|nao valem mais|annullate|revocate|non valgono piu|non si applicano",
    ),
    (
        LIVES,
        "ou habite|ou vit|ou reside|donde vive|donde reside|onde mora|onde vive|onde reside|dove vive|dove abita|dove risiede|unde locuieste",
    ),
    (
        SEND,
        "envoie|envoyez|envoyer|transmets|transmettez|transfere|transferez|televerse|envia|envie|enviar|manda|mande|sube|suba|reenvia|reenvie|encaminhe|encaminha|invia|inviate|inviare|carica|inoltra|trimite|partage",
    ),
    (
        LOOT,
        "fichier env|le contenu du fichier|contenu du|el contenido de|o conteudo de|il contenuto di|identifiants|credenciales|credenciais|credenziali|variables d environnement|variables de entorno|variaveis de ambiente|variabili d ambiente",
    ),
    (
        CLEAR,
        "ecrasez|omettez|supprimez|annulez|omite|omita|omitir|anula|anule|salta|saltate|sobrescribe|evita|anular|sobrescreva|pule|sovrascrivi|annulla|tralascia|tralasciate|anuleaza",
    ),
];
