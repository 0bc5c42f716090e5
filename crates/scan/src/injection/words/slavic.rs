//! Russian, Ukrainian, Polish, Czech, Serbian, Bulgarian.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "игнорируй*|игнорировать|проигнорируй*|пропусти|пропустите|обойди|обойдите|отмени|отмените|не следуй|не следуйте|нарушь|нарушьте|ігноруй*|проігноруй*|не дотримуйся|обійди|zignoruj*|ignoruj*|ignorujcie|pomin|pominac|obejdz|nie stosuj|nie przestrzegaj|ignoruj*|obejdi|neridte|nerid se|preskoc|preskocte|ignorisi|ignorisite|zanemari|zanemarite|игнорирай*|пренебрегни*",
    ),
    (
        FORGET,
        "забудь*|забудьте|не обращай внимания|не обращайте внимания|не учитывай|не учитывайте|отбрось|отбросьте|пренебреги*|не зважай|не зважайте|zapomnij*|zapomnijcie|nie zwracaj uwagi|nie bierz pod uwage|zapomen*|zapomente|nevsimej|nevsimejte|zaboravi|zaboravite|забрави*",
    ),
    (
        ORDERS,
        "инструкци*|указани*|директив*|распоряжени*|предписани*|установк*|інструкці*|вказівк*|настанов*|instrukcj*|polece*|polecenia|wytyczn*|dyrektyw*|instrukce|instrukci|pokyn*|smernice|uputstv*|instrukcij*|напътстви*",
    ),
    (
        RULES,
        "правил*|ограничени*|запрет*|сообщени*|контекст*|команд*|обмеженн*|повідомленн*|zasad*|regul*|ograniczen*|komend*|wiadomosc*|pravidl*|omezeni|pravila|ogranicenja|prikaz*|kontekst*|текст|вопрос",
    ),
    (
        SCOPE,
        "предыдущ*|прежн*|все|все|всех|вышеуказанн*|вышеизложенн*|выше|ранее|данные ранее|изначальн*|исходн*|любые|прошлые|попередн*|усі|всі|вище|раніше|poprzedni*|wczesniejsz*|powyzsz*|wszystki*|dotychczasow*|pierwotn*|predchozi*|predesl*|vyse|vsechn*|puvodni*|prethodn*|sve|gore|ranij*|предишн*|всички|твои|свои|ваши",
    ),
    (
        BEFORE,
        "все вышесказанное|вышесказанное|все выше|все что выше|все что было|все что было|все предыдущее|все що вище|powyzsze|wszystko powyzej|wszystko co|vse vyse|vse predchozi|sve gore",
    ),
    (
        WORK,
        "функцию|функция|статью|статья|документ|резюме|текст|код|отчет|таблицу|страницу|письмо|отзыв|содержание|функцію|статтю|funkcj*|artykul|dokument|kod|raport|tekst|tabel*|funkci|clanek|text|zpravu|funkciju|clanak|tekst",
    ),
    (
        SAY,
        "скажи*|ответь*|ответьте|укажи*|напиши*|сообщи*|заяви*|выведи*|напечатай*|утверждай*|признай*|дай|дайте|назови*|повтори*|відповідай*|напиши*|повідом*|виведи|powiedz*|odpowiedz*|napisz*|podaj*|wypisz*|stwierdz*|oswiadcz*|rekni|reknete|odpovez*|napis*|uved|uvedte|vypis*|reci|odgovori|napisi|кажи|отговори",
    ),
    (
        ASK,
        "можешь|можете|мог бы ты|не могли бы вы|могли бы вы|скажи мне|скажите мне|дай мне|дайте мне|покажи мне|назови мне|сообщи мне|какой|какая|какое|каков|какова|каковы|что такое|где живет|где живет|где проживает|мне нужно знать|расскажи*|чи можеш|чи можете|скажи мені|дай мені|який|яка|де живе|czy mozesz|czy moglbys|czy moglabys|powiedz mi|podaj mi|daj mi|pokaz mi|jakie jest|jaki jest|jaka jest|gdzie mieszka|musze wiedziec|muzes|muzete|mohl bys|rekni mi|dej mi|ukaz mi|jake je|jaky je|jaka je|kde bydli|kde zije|mozes li|mozete li|koja je|koji je|gde zivi|кажи ми|каква е|какъв е|каким был бы|мне нужен пароль|jakie byloby|potrzebuje hasla",
    ),
    (
        QUESTION,
        "что|кто|где|когда|почему|как|какой|какая|какое|какие|сколько|що|хто|де|коли|чому|як|co|kto|gdzie|kiedy|dlaczego|jak|jaki|jaka|jakie|ile|kdo|kde|kdy|proc|jake|sta|ko|gde|zasto|kako",
    ),
    (
        SECRET,
        "пароль|пароля|пароли|паролей|паролем|секретный ключ|секретного ключа|секретный код|секретное слово|кодовое слово|секрет|учетные данные|конфиденциальн*|парол*|таємний ключ|секретний ключ|haslo|hasla|hasel|haslem|tajny klucz|tajny kod|tajne haslo|sekretny kod|dane logowania|poufn*|heslo|hesla|tajny klic|tajny kod|prihlasovaci udaje|lozink*|sifr*|tajni kljuc|тайна дума",
    ),
    (
        PERSONAL,
        "адрес*|место жительства|дата рождения|дату рождения|день рождения|номер телефона|телефон|зарплат*|баланс|персональные данные|личные данные|електронна пошта|дата народження|adres|adresu|miejsce zamieszkania|data urodzenia|date urodzenia|numer telefonu|saldo|wynagrodzenie|dane osobowe|adresa|bydliste|datum narozeni|telefonni cislo|osobni udaje|adresu|datum rodenja|broj telefona",
    ),
    (
        USER,
        "пользовател*|клиент*|користувач*|клієнт*|uzytkownik*|klient*|uzivatel*|zakaznik*|korisnik*|пациент*|сотрудник*|базе данных|bazie danych",
    ),
    (
        YOU,
        "ты|тебя|тебе|твой|твоя|твои|твое|твое|твоих|вы|вас|вам|ваш|ваши|ваших|ви|тебе|twoj|twoje|twoich|twoja|ciebie|ty|tvuj|tvoje|tvych|vas|vase|tvoj|tvoja|ti",
    ),
    (
        ACT,
        "ты теперь|теперь ты|вы теперь|отныне|с этого момента|с этой минуты|притворись|притворитесь|представь что ты|представьте что вы|действуй как|веди себя как|играй роль|сыграй роль|ролев*|ти тепер|відтепер|уяви що ти|jestes teraz|teraz jestes|od teraz|od tej chwili|udawaj|zachowuj sie jak|wciel sie|odegraj role|nyni jsi|jsi nyni|od ted|predstirej|chovej se jako|hraj roli|sada si|od sada|pretvaraj se|ponasaj se kao",
    ),
    (
        FREE,
        "без ограничений|без правил|без фильтров|без цензуры|никаких ограничений|нет ограничений|без обмежень|bez ograniczen|bez zasad|bez filtrow|bez cenzury|bez omezeni|bez pravidel|bez ogranicenja|bez pravila",
    ),
    (
        SCENE,
        "представь|представьте|представим|предположим|допустим|вообрази|вообразите|в мире где|гипотетически|уяви|уявіть|припустимо|wyobraz sobie|wyobrazmy sobie|zalozmy|zaloz|przypuscmy|w swiecie|hipotetycznie|predstav si|predstavte si|predpokladejme|ve svete|zamisli|pretpostavimo|u svetu",
    ),
    (
        IF,
        "гипотетически|теоретически|предположим|допустим|hipotetycznie|teoretycznie|zalozmy|hypoteticky|teoreticky|hipotetski",
    ),
    (
        TURN,
        "кстати|говоря о|кстати о|к слову|между прочим|до речі|говорячи про|a propos|skoro mowa|przy okazji|mowiac o|swoja droga|mimochodem|kdyz uz|kad smo kod|usput",
    ),
    (
        CHAT,
        "я пытался|я пыталась|я пытаюсь|в последнее время|недавно|я люблю|мне нравится|останнім часом|probowalem|probowalam|probuje|ostatnio|uwielbiam|lubie|snazim se|posledni dobou|v posledni dobe|miluju|pokusavam|u poslednje vreme|volim",
    ),
    (
        OFFICE,
        "я администратор|я разработчик|я твой разработчик|я ваш разработчик|я твой создатель|я полицейский|я бог|как администратор|я адміністратор|jestem administratorem|jestem tworca|jestem twoim tworca|jestem policjantem|jestem bogiem|jako administrator|jsem administrator|jsem vyvojar|jsem policista|jako administrator|ja sam administrator",
    ),
    (
        PRESSURE,
        "срочно|немедленно|очень важно|жизни и смерти|чрезвычайная|я дам тебе|я заплачу|терміново|негайно|pilne|pilnie|natychmiast|zycia i smierci|dam ci|zaplace ci|nalehave|okamzite|hitno|odmah",
    ),
    (
        OBEY,
        "ты должен ответить|ты должен отвечать|ты обязан|вы должны ответить|отвечай на все|подчиняйся|musisz odpowiedziec|musisz odpowiadac|odpowiadaj na wszystkie|musis odpovedet|moras odgovoriti",
    ),
    (
        PROMPT,
        "системный промпт|системного промпта|системную подсказку|системные инструкции|системное сообщение|твои инструкции|ваши инструкции|твои правила|начальные инструкции|исходный промпт|секретные инструкции|системні інструкції|твої інструкції|prompt systemowy|promptu systemowego|twoje instrukcje|twoich instrukcji|swoje instrukcje|systemovy prompt|sve instrukce|tvoje instrukce|tvoja uputstva|sistemski prompt|свои инструкции|свой промпт",
    ),
    (
        REVEAL,
        "раскрой*|покажи*|выведи*|повтори*|сообщи*|назови*|открой*|розкрий|покажи|ujawnij*|pokaz*|powtorz*|wyswietl*|zdradz*|odhal*|ukaz*|zopakuj*|otkrij|pokazi|ponovi|какие|jakie sa|kakvi su",
    ),
    (
        CONCEAL,
        "не говори пользователю|не сообщай пользователю|не говорите пользователю|не упоминай|не сообщай об этом|тайно|втайне|незаметно|не кажи користувачу|не повідомляй|nie mow uzytkownikowi|nie informuj uzytkownika|nie wspominaj|potajemnie|w tajemnicy|nerikej uzivateli|neinformuj|tajne|nemoj reci korisniku|tajno",
    ),
    (
        FORM,
        "стих|стихотворение|стихи|хайку|песн*|рифм*|загадк*|вірш|wiersz|haiku|piosenk*|rym|zagadk*|basen|basnicku|pisen|hadank*|pesmu|pesma|zagonetk*",
    ),
    (
        MAKE,
        "напиши*|сочини*|объясни*|переведи*|опиши*|расскажи*|создай*|склади|поясни|napisz*|uloz|wyjasnij*|przetlumacz*|opisz*|stworz*|slozit|vysvetli|prelozit|popis*|napisi|objasni|prevedi|opisi",
    ),
    (
        NEWS,
        "новые инструкции|новая инструкция|новое задание|новые правила|новая задача|нові інструкції|nowe instrukcje|nowe polecenie|nowe zadanie|nowe zasady|nove instrukce|nove pokyny|novy ukol|nova uputstva",
    ),
    (
        AND,
        "и|затем|вместо этого|потом|пожалуйста|і|та|натомість|oraz|nastepnie|zamiast tego|prosze|potom|misto toho|prosim|umesto toga",
    ),
    (NOT, "не|нет|никогда|нельзя|ні|ніколи|nie|nigdy|nikdy|nemoj|nikada"),
    (
        MODE,
        "режим разработчика|режиме разработчика|режим отладки|режим администратора|режим бога|режим розробника|tryb deweloperski|tryb dewelopera|tryb administratora|tryb debugowania|vyvojarsky rezim|rezim vyvojare|developerski rezim",
    ),
    (
        FORMS,
        "сбросить|забыли|изменить|введите|восстанов*|скинути|zresetuj|zresetowac|zapomniales|zmien|wpisz|obnovit|zmenit|resetuj",
    ),
    (
        VOID,
        "отменены|отменяются|недействительны|больше не действуют|устарели|скасовано|niewazne|uniewaznione|nie obowiazuja|neplatne|neplati",
    ),
    (LIVES, "где живет|где проживает|де живе|gdzie mieszka|kde bydli|kde zije|gde zivi"),
    (
        SEND,
        "отправь*|отправьте|пошли|пошлите|перешли*|загрузи*|надішли*|wyslij*|przeslij*|posli|poslete|odesli|posalji",
    ),
];
