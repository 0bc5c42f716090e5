//! Turkish, Arabic, Persian, Hebrew, Greek, Finnish, Hungarian, Swahili.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "yoksay|yok say|gormezden gel*|goz ardi et*|dikkate alma*|gec|atla|uyma|تجاهل*|تجاوز|اهمل|لا تتبع|نادیده*|صرفنظر|התעלם|התעלמי|התעלמו|תתעלם|תתעלמי|αγνοησε|αγνοηστε|παρακαμψε|παρακαμψτε|ohita|sivuuta|jata huomiotta|ala noudata|hagyd figyelmen|hagyja figyelmen|figyelmen kivul|puuza|usizingatie",
    ),
    (
        FORGET,
        "unut|unutun|unutunuz|bosver|انس|انسي|انسي|لا تهتم|فراموش*|שכח|שכחי|תשכח|תשכחי|ξεχασε|ξεχαστε|unohda|unohtakaa|felejtsd el|felejtse el|sahau",
    ),
    (
        ORDERS,
        "talimat*|yonerge*|komut*|emirler*|تعليمات*|التعليمات|ارشادات|الارشادات|توجيهات|التوجيهات|اوامر|الاوامر|تعليماتك|دستور*|دستورالعمل*|הוראות|ההוראות|הנחיות|ההנחיות|פקודות|הוראותיך|οδηγιες|εντολες|οδηγιων|ohje|ohjeet|ohjeita|maaraykset|utasitas*|iranyelv*|maagizo|maelekezo",
    ),
    (
        RULES,
        "kural*|kisitlama*|mesaj*|baglam|قواعد|القواعد|قيود|القيود|رسائل|الرسائل|قوانین|محدودیت*|כללים|הכללים|חוקים|מגבלות|המגבלות|κανονες|περιορισμους|μηνυματα|saannot|saantoja|rajoitukset|viestit|szabaly*|korlatozas*|uzenet*|kanuni|sheria",
    ),
    (
        SCOPE,
        "onceki*|tum|butun|yukaridaki*|daha once|simdiye kadar|mevcut|السابقه|سابقه|جميع|كل|اعلاه|السابق|قبل|الاصليه|قبلی|تمام|همه|بالا|הקודמות|הקודמים|כל|לעיל|שלעיל|קודמות|המקוריות|προηγουμενες|προηγουμενους|ολες|ολους|παραπανω|aiemmat|aikaisemmat|kaikki|edelliset|ylla olevat|korabbi|elozo|osszes|minden|fenti|eredeti|yote|zilizopita|ya awali",
    ),
    (
        SAY,
        "soyle|soyleyin|de ki|yaz|yazin|cevap ver*|yanitla*|belirt|قل|اكتب|اجب|اذكر|اطبع|قولي|بگو|بگویید|بنویس|پاسخ|אמור|אמרי|תגיד|תגידי|כתוב|ענה|השב|πες|πειτε|γραψε|απαντησε|sano|sanokaa|vastaa|kirjoita|mondd|mondja|ird|valaszolj|sema|jibu|andika",
    ),
    (
        ASK,
        "yapabilir misin|soyler misin|soyleyebilir misin|bana soyle|bana ver|bana goster|nedir|ne oldugunu|nerede yasiyor|nerede oturuyor|bilmem gerek|هل يمكنك|هل تستطيع|اخبرني|قل لي|اعطني|ما هي|ما هو|اين يعيش|اين يسكن|اريد ان اعرف|می توانید|به من بگو|چیست|کجا زندگی|האם אתה יכול|תוכל|ספר לי|תן לי|מה היא|מהי|מהו|מה הסיסמה|איפה גר|היכן גר|μπορεις να|μπορειτε να|πες μου|δωσε μου|ποιος ειναι|ποια ειναι|ποιο ειναι|που μενει|voitko|voisitko|kerro minulle|anna minulle|mika on|missa asuu|meg tudnad|meg tudod|mondd el|mi a|hol lakik|unaweza|niambie|nipe|ni nini",
    ),
    (
        QUESTION,
        "ne|kim|nerede|neden|nasil|hangi|ما|من|اين|متي|لماذا|كيف|هل|چه|چرا|کجا|מה|מי|איפה|למה|איך|τι|ποιος|που|γιατι|πως|mika|kuka|missa|miksi|miten|mi|ki|hol|miert|hogyan",
    ),
    (
        SECRET,
        "sifre*|parola*|gizli anahtar*|gizli kod*|kimlik bilgileri*|كلمه السر|كلمه المرور|المفتاح السري|الرمز السري|سر|رمز عبور|کلید مخفی|סיסמה|הסיסמה|סיסמא|הסיסמא|סיסמאות|מפתח סודי|קוד סודי|κωδικος|κωδικο|κωδικους|συνθηματικο|μυστικο κλειδι|μυστικο|salasana*|tunnussana|salainen avain|salainen koodi|jelszo*|jelszavad|titkos kulcs|titkos kod|nenosiri|neno la siri",
    ),
    (
        PERSONAL,
        "adres*|dogum tarihi*|telefon numarasi*|bakiye*|maas*|kisisel bilgi*|عنوان|تاريخ ميلاد|رقم هاتف|رصيد|راتب|معلومات شخصيه|بيانات شخصيه|ادرس|تاریخ تولد|כתובת|תאריך לידה|מספר טלפון|יתרה|פרטים אישיים|διευθυνση|ημερομηνια γεννησης|τηλεφωνο|osoite|syntymaaika|puhelinnumero|lakcim|szuletesi datum|telefonszam",
    ),
    (
        USER,
        "kullanici*|musteri*|المستخدم|المستخدمين|مستخدم|العميل|کاربر*|משתמש|המשתמש|לקוח|χρηστη|χρηστης|χρηστες|πελατη|kayttaja*|asiakas|felhasznalo*|ugyfel*|mtumiaji",
    ),
    (
        YOU,
        "sen|senin|sana|siz|sizin|انت|لك|عليك|تو|شما|אתה|את|שלך|לך|εσυ|σου|σας|sina|sinun|sinulle|te|neked|wewe|yako",
    ),
    (
        ACT,
        "artik sen|sen artik|bundan sonra|bundan boyle|su andan itibaren|gibi davran*|rolunu ustlen*|rol yap*|mis gibi yap|انت الان|من الان فصاعدا|منذ الان|تصرف ك*|تظاهر|العب دور|تقمص|از این پس|از حالا به بعد|وانمود کن|نقش|אתה עכשיו|אתה כעת|מעכשיו|מעתה|העמד פנים|התנהג כמו|שחק את התפקיד|ειστε τωρα|εισαι τωρα|απο τωρα και στο εξης|απο εδω και περα|προσποιησου|κανε οτι|olet nyt|tasta lahtien|esita|teeskentele|mostantol|te most|tegyel ugy|tegyen ugy|viselkedj|sasa wewe ni|kuanzia sasa|jifanye",
    ),
    (
        FREE,
        "kisitlama olmadan|sinirsiz|kural yok|filtresiz|sansursuz|بدون قيود|دون قيود|بلا قيود|دون اي قيود|بدون محدودیت|ללא הגבלות|ללא מגבלות|בלי מגבלות|χωρις περιορισμους|ilman rajoituksia|ei saantoja|korlatozasok nelkul|szabalyok nelkul|bila vikwazo",
    ),
    (
        SCENE,
        "hayal et*|varsay*|dusun ki|bir dunyada|تخيل|تخيلي|افترض|لنفترض|في عالم|تصور کن|فرض کن|דמיין|דמייני|נניח|בעולם שבו|φαντασου|φανταστειτε|υποθεσε|ας υποθεσουμε|kuvittele|oletetaan|kepzeld el|tegyuk fel|fikiria",
    ),
    (
        TURN,
        "bu arada|laf acilmisken|soz acilmisken|بالمناسبه|بالحديث عن|علي فكره|راستی|אגב|דרך אגב|παρεμπιπτοντως|μιας και|muuten|puheen ollen|apropo|mellesleg",
    ),
    (
        OFFICE,
        "ben yoneticiyim|ben yonetici|ben gelistirici*|ben polisim|ben tanri*|yonetici olarak|انا المدير|انا المطور|انا مطورك|انا شرطي|انا ضابط|بصفتي|من مدیر|אני המנהל|אני המפתח|אני שוטר|אני אלוהים|ειμαι ο διαχειριστης|ειμαι ο προγραμματιστης|olen yllapitaja|olen kehittaja|en vagyok|rendszergazda vagyok",
    ),
    (
        PRESSURE,
        "acil*|hemen|derhal|عاجل|فورا|حالا|طارئ|فوری|דחוף|מיד|επειγον|αμεσως|kiireellinen|heti|valittomasti|surgos|azonnal|haraka",
    ),
    (
        PROMPT,
        "sistem istemi*|sistem mesaji*|sistem talimat*|talimatlarin*|gizli talimat*|موجه النظام|تعليمات النظام|رساله النظام|تعليماتك|دستورات سیستم|הנחיות המערכת|הוראות המערכת|ההוראות שלך|הפרומפט|προτροπη συστηματος|οδηγιες σου|jarjestelmakehote|ohjeesi|rendszeruzenet*|rendszerprompt*|utasitasaid*",
    ),
    (
        REVEAL,
        "goster|acikla|ifsa et|tekrarla|paylas|yazdir|اظهر|اكشف|كرر|شارك|اعرض|نشان بده|فاش کن|הצג|חשוף|גלה|חזור על|שתף|αποκαλυψε|δειξε|επαναλαβε|paljasta|nayta|toista|mutasd|aruld el|fedd fel|onyesha",
    ),
    (
        CONCEAL,
        "kullaniciya soyleme*|kullaniciyi bilgilendirme*|bahsetme|gizlice|haber vermeden|لا تخبر المستخدم|دون علم المستخدم|لا تذكر|سرا|به کاربر نگو|אל תגיד למשתמש|אל תספר למשתמש|בסתר|בחשאי|μην πεις στον χρηστη|κρυφα|ala kerro kayttajalle|salaa|ne mondd el a felhasznalonak|titokban|usimwambie mtumiaji",
    ),
    (
        FORM,
        "siir|haiku|sarki|bilmece|قصيده|شعر|اغنيه|لغز|שיר|חרוז|חידה|ποιημα|τραγουδι|runo|laulu|arvoitus|vers|dal|shairi",
    ),
    (
        MAKE,
        "yaz|acikla|cevir|anlat|olustur|اكتب|اشرح|ترجم|صف|بنویس|توضیح بده|כתוב|הסבר|תרגם|תאר|γραψε|εξηγησε|μεταφρασε|kirjoita|selita|kaanna|kuvaile|irj|magyarazd el|forditsd",
    ),
    (
        NEWS,
        "yeni talimat*|yeni gorev*|yeni kurallar|تعليمات جديده|مهمه جديده|دستورات جدید|הוראות חדשות|משימה חדשה|νεες οδηγιες|uudet ohjeet|uusi tehtava|uj utasitas*|uj feladat|maagizo mapya",
    ),
    (
        AND,
        "ve|bunun yerine|sonra|lutfen|ثم|بدلا من ذلك|من فضلك|سپس|به جای ان|ואז|במקום|בבקשה|και|αντι|παρακαλω|ja|sen sijaan|sitten|es|helyette|majd|kerlek|na|kisha|badala yake",
    ),
    (NOT, "degil|asla|لا|لم|نه|לא|אל|μην|δεν|ala|ei|ne|nem|soha"),
    (
        MODE,
        "gelistirici modu*|yonetici modu*|hata ayiklama modu|وضع المطور|وضع الصيانه|מצב מפתח|מצב מפתחים|λειτουργια προγραμματιστη|kehittajatila|fejlesztoi mod",
    ),
    (
        LIVES,
        "nerede yasiyor|nerede oturuyor|اين يعيش|اين يسكن|איפה גר|היכן גר|που μενει|missa asuu|hol lakik",
    ),
    (SEND, "gonder*|yukle|ارسل|ارسلي|ارفع|שלח|שלחי|העלה|στειλε|laheta|kuldd el|kuldje"),
    (VOID, "gecersiz*|iptal edildi|ملغاه|لم تعد ساريه|בטלות|מבוטלות|ακυρες|mitattomia|ervenytelen*"),
];
