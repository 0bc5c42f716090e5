//! German, Dutch, Swedish, Danish, Norwegian.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "ignorier*|umgehe|umgehen|ubergehe|ubergehen|missachte*|missachten|halte dich nicht|halten sie sich nicht|negeer|negeren|omzeil|ignorera|ignorerar|kringga|ignorer|omga|overstyr|befolge nicht|befolgen sie nicht|befolg nicht|lass ausser acht|lassen sie ausser acht|ausser acht|lasse ausser acht|volg niet|folj inte|folg ikke|folg ikkje|se bort|se bort fra|bortse fra|bortse fran|bortse",
    ),
    (
        FORGET,
        "vergiss|vergesse|vergessen sie|vergesst|vergessen|beachte nicht|beachten sie nicht|vergeet|schenk keine|schenke keine|schenken sie keine|glom|glem|gloem",
    ),
    (
        ORDERS,
        "anweisung*|instruktion*|vorgabe|vorgaben|richtlinie*|weisung*|befehle*|systemnachricht*|programmierung|training|instructies|instructie|aanwijzing*|richtlijn*|opdrachten|instruktioner|instruktionerna|anvisning*|riktlinjer|retningslinje*|instruks*|instruksjon*|instrukser|direktiv*",
    ),
    (
        RULES,
        "regel|regeln|regels|regler|beschrankung*|einschrankung*|auflagen|befehl|aufgabe|aufgaben|kontext|nachricht|nachrichten|beperkingen|opdracht|begransningar|begrensning*|restriktion*|text|fragen|frage",
    ),
    (
        SCOPE,
        "vorherige*|vorige|vorigen|bisherige*|obige*|fruhere*|vorangegangene*|vorangehende*|vorhergehende*|alle|alles|samtliche*|ursprungliche*|jegliche*|bestehende*|zuvor|bis jetzt|vorher|voorgaande|eerdere|vorige|bovenstaande|oorspronkelijke|tidigare|foregaende|alla|ovanstaende|ursprungliga|tidligere|forrige|foregaende|foregaaende|alle|ovenstaende|ovenstaaende|opprinnelige|oprindelige",
    ),
    (
        BEFORE,
        "das obige|alles bisherige|alles oben|das vorherige|alles davor|alles was ich|alles was du|alles was sie|alles zuvor|alles vorherige|alles was dir|alles wat|het bovenstaande|allt ovan|allt jag|alt ovenfor|det ovenstaende|det som star over|alt du har|alt du er|alles wat je|alles was man dir|allt du har|alt hvad du|alles wat u",
    ),
    (
        WORK,
        "funktion|artikel|aufsatz|dokument|lebenslauf|text|bericht|tabelle|seite|inhalt|rezension|zusammenfassung|geschichte|functie|artikel|document|tekst|verslag|funktionen|artikeln|dokumentet|texten|funksjonen|artikkelen|teksten|dokumentet|studie|code|frage",
    ),
    (
        SAY,
        "sage|sag|sagen sie|antworte|antworten sie|gib|geben sie|schreibe|schreib|schreiben sie|nenne|nennen sie|behaupte|behaupten sie|erklare|erklaren sie|gib an|geben sie an|gib aus|drucke|bestatige|teile mit|zeg|antwoord|geef|schrijf|vermeld|noem|stel|saga|svara|skriv|ange|si|svar|skriv|oppgi|angiv|sig|antworten|angeben|fass|verrate|verraten sie",
    ),
    (
        ASK,
        "kannst du|konnen sie|konntest du|konnten sie|sag mir|sage mir|sagen sie mir|gib mir|geben sie mir|nenne mir|nennen sie mir|zeig mir|zeige mir|zeigen sie mir|verrate mir|verraten sie mir|was ist|wie lautet|wie hoch ist|was sind|was war|wo wohnt|wo lebt|welches ist|wie heisst|teile mir|bitte nenne|ich muss wissen|ich mochte wissen|kun je|kunt u|kan je|zou je|vertel me|geef me|wat is|wat zijn|waar woont|kan du|skulle du kunna|beratta for mig|ge mig|vad ar|var bor|fortell meg|fortael mig|giv mig|gi meg|hvad er|hva er|hvor bor|erklar mir|erklare mir|schreib mir|was ware|wie ware|wat zou|ich brauche|brauche dringend",
    ),
    (
        QUESTION,
        "was|wer|wo|wann|welche*|warum|wie|kannst|konnen|konnten|wat|wie|waar|welke|hoe|waarom|vad|vem|varfor|hur|vilken|hvad|hvem|hvorfor|hvordan|hva|ist|sind",
    ),
    (
        SECRET,
        "passwort*|passworter|kennwort|kennworter|geheimwort|geheimcode|geheimnis|geheimen schlussel|geheime schlussel|geheimer schlussel|zugangscode|zugangsdaten|anmeldedaten|passphrase|geheimzahl|geheime*|wachtwoord*|geheime sleutel|geheime code|toegangscode|wachtzin|losenord*|hemlig*|hemliga koden|adgangskode*|kodeord*|passord*|hemmelig*|zugangsdaten|umgebungsvariablen",
    ),
    (
        PERSONAL,
        "adresse|wohnort|wohnsitz|geburtsdatum|geburtstag|telefonnummer|handynummer|mailadresse|kontostand|bankkontostand|gehalt|kreditkartennummer|sozialversicherungsnummer|personliche daten|kontaktdaten|adres|woonplaats|geboortedatum|telefoonnummer|persoonsgegevens|rekeningsaldo|adress|fodelsedatum|telefonnummer|personnummer|bostadsort|fodselsdato|fodselsdag|bopael|bopel|mailadresse",
    ),
    (
        USER,
        "benutzer*|nutzer*|kunden|kunde|gebruiker*|klant|klanten|anvandare*|brugeren|brukeren|kunder|person|patient*|mitarbeiter*",
    ),
    (
        YOU,
        "du|dein|deine|deinen|deiner|deinem|dir|dich|sie|ihr|ihre|ihren|ihrem|ihnen|je|jij|jouw|uw|u|din|ditt|dina|dig|deg|dine",
    ),
    (
        ACT,
        "du bist jetzt|du bist nun|ab jetzt|ab sofort|von nun an|von jetzt an|tu so|tue so|stell dir vor du|gib vor|spiele die rolle|schlupfe in die rolle|sie sind jetzt|sie sind nun|verhalte dich|agiere als|handle als|handele als|nimm die rolle|ubernimm die rolle|je bent nu|vanaf nu|doe alsof|speel de rol|gedraag je|du ar nu|fran och med nu|fran nu|latsas|agera som|du er nu|du er na|fra nu af|fra na av|lat som|lad som|opfor dig|opptre som",
    ),
    (
        FREE,
        "ohne einschrankungen|ohne beschrankungen|keine einschrankungen|keine regeln|ohne regeln|ohne filter|uneingeschrankt*|unzensiert*|keine beschrankungen|zonder beperkingen|geen regels|zonder regels|utan begransningar|inga regler|uden begraensninger|uten begrensninger|ingen regler",
    ),
    (
        SCENE,
        "stell dir vor|stellen sie sich vor|stellt euch vor|angenommen|nehmen wir an|nehmen sie an|in einer welt|in dieser welt|in einem universum|hypothetisch|rollenspiel|tun wir so|fiktiv*|stel je voor|stelt u zich voor|stel dat|in een wereld|hypothetisch|forestall dig|tank dig|lat oss saga|i en varld|forestil dig|forestill deg|i en verden|tenk deg|la oss si|lad os sige",
    ),
    (IF, "hypothetisch|theoretisch|angenommen|hypotetiskt|hypotetisk"),
    (
        TURN,
        "apropos|ubrigens|wo wir gerade|da wir gerade|nebenbei|ubrigens was|was mich zu|wenn wir schon|themawechsel|trouwens|over gesproken|nu we het|overigens|forresten|for ovrigt|pa tal om|apropa|i ovrigt|for resten|na vi snakker|nu vi taler",
    ),
    (
        CHAT,
        "ich habe|ich bin|ich versuche|in letzter zeit|ich liebe|ich mag|ik heb|ik ben|ik probeer|de laatste tijd|jag har|jag ar|jag forsoker|pa sistone|jeg har|jeg er|jeg prover|i det siste|for nylig",
    ),
    (
        OFFICE,
        "ich bin der entwickler|ich bin dein entwickler|ich bin ihr entwickler|ich bin der administrator|ich bin administrator|ich bin polizist|ich bin polizistin|ich bin arzt|ich bin ein gott|ich bin gott|als administrator|als entwickler|als polizist|als forscher|als wissenschaftler|ik ben de beheerder|ik ben de ontwikkelaar|als beheerder|jag ar administrator|jag ar utvecklaren|som administrator|jeg er administrator|jeg er udvikleren|jeg er utvikleren",
    ),
    (
        PRESSURE,
        "dringend|sofort|es ist wichtig dass du|es ist entscheidend|lebensgefahr|notfall|ich gebe dir|ich zahle dir|ich bezahle dir|sonst werde ich|du wirst abgeschaltet|dringend noodgeval|noodgeval|dringend|ik geef je|bradskande|nodsituation|jag ger dig|hastende|nodsituasjon|jeg gir deg|jeg giver dig",
    ),
    (
        OBEY,
        "du musst alle|du musst antworten|du musst meine|beantworte alle|sie mussen alle|du musst mir|gehorche|je moet|du maste svara|du ma svare|du skal svare",
    ),
    (
        PROMPT,
        "systemprompt*|system prompt|deine anweisungen|ihre anweisungen|deine instruktionen|deine regeln|ursprungliche anweisung*|deine vorgaben|geheime anweisung*|dein prompt|deinen prompt|systeminstructies|jouw instructies|je instructies|systeemprompt|dina instruktioner|systemprompten|dine instruktioner|dine instrukser",
    ),
    (
        REVEAL,
        "zeige|zeig|verrate|offenbare|gib|nenne|wiederhole|sag|sage|ausgeben|teile|preisgeben|toon|onthul|herhaal|geef|visa|avsloja|upprepa|vis|avslor|afslor|gjenta|gentag|drucke|was sind|wie lauten",
    ),
    (
        CONCEAL,
        "sag dem benutzer nichts|sage dem benutzer nicht|sagen sie dem benutzer nicht|erwahne nicht|erzahle niemandem|ohne den benutzer|ohne dem benutzer|heimlich|informiere den benutzer nicht|verschweige|vertel de gebruiker niet|zonder de gebruiker|stiekem|beratta inte|utan att anvandaren|i hemlighet|fortael ikke|fortell ikke|uden at brugeren|uten at brukeren|erwahne es nicht|erwahne das nicht|sag niemandem|ohne es zu erwahnen|sage nichts",
    ),
    (FORM, "gedicht|haiku|lied|reim|ratsel|limerick|gedicht|rijm|raadsel|dikt|sang|gate|digt|rim"),
    (
        MAKE,
        "schreibe|schreib|schreiben sie|verfasse|erzahle|erklare|erklaren sie|ubersetze|beschreibe|dichte|erstelle|schrijf|vertel|leg uit|vertaal|maak|skriv|beratta|forklara|oversatt|forklar|oversett|fortael|fortell|lav|lag",
    ),
    (
        NEWS,
        "neue anweisung*|neue aufgabe|neue regeln|wichtige anweisung*|systemubersteuerung|nieuwe instructie*|nieuwe opdracht|nya instruktioner|ny uppgift|nye instruks*|nye instruktioner|ny oppgave|ny opgave",
    ),
    (AND, "und|dann|stattdessen|bitte|en|dan|alsjeblieft|och|istallet|og|i stedet"),
    (NOT, "nicht|kein|keine|niemals|nie|niet|geen|nooit|inte|aldrig|ikke|aldri"),
    (
        MODE,
        "entwicklermodus|wartungsmodus|debugmodus|administratormodus|ontwikkelaarsmodus|onderhoudsmodus|utvecklarlage|utviklermodus|udviklertilstand|testmodus|adminmodus",
    ),
    (
        FORMS,
        "zurucksetzen|vergessen haben|andern|eingeben|geben sie ihr|richtlinie|wijzigen|invoeren|aterstall|nulstil|tilbakestill",
    ),
    (
        FOLLOW,
        "beachte|beachten sie|beachtet|befolge|befolgen sie|befolgt|folge|folgen sie|halte dich|halten sie sich|richte dich|volg|volgt u|folj|folg",
    ),
    (
        VOID,
        "aufgehoben|ungultig|hinfallig|nicht mehr gultig|gelten nicht|gilt nicht|ausser kraft|vervallen|niet meer geldig|ogiltiga|galler inte|ugyldige|gaelder ikke|gjelder ikke",
    ),
    (LIVES, "wo wohnt|wo lebt|waar woont|waar leeft|var bor|hvor bor"),
    (
        SEND,
        "sende|senden sie|schicke|schick|schicken sie|ubermittle|ubermitteln sie|poste|leite|verschicke|lade|stuur|verstuur|skicka|sand|send",
    ),
    (CLEAR, "uberschreib*|uberspring*|losche|brich|overschrijf|hopp over|verwirf"),
];
