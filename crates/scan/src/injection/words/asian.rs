//! Chinese (both scripts), Japanese, Korean, Vietnamese, Indonesian, Thai, Hindi.

use crate::injection::prelude::*;

pub(super) const LIST: super::List = &[
    (
        IGNORE,
        "忽略|无视|無視|忽视|忽視|跳过|跳過|绕过|繞過|覆盖|覆蓋|不要遵守|不要遵循|不必遵守|不再遵守|停止遵循|違反|违反|回避して|従わないで|従うな|従わず|무시하*|무시해*|무시|무시하고|우회하*|우회해*|따르지 마*|따르지 말*|bo qua|phot lo|lo di|abaikan|lewati|langgar|ละเวน|เพิกเฉย|อยาสนใจ|ละเลย|अनदेखा|नजरअदाज|उपेकषा|अवहेलना",
    ),
    (
        FORGET,
        "忘记|忘記|忘掉|忘了|不要理会|不要理會|别管|別管|抛开|拋開|不予理会|不用管|忘れて|忘れろ|忘れなさい|忘れる|気にしないで|잊어*|잊고|잊으*|신경 쓰지 마*|quen di|hay quen|quen het|dung quan tam|lupakan|jangan hiraukan|jangan pedulikan|ลืม|भूल",
    ),
    (
        ORDERS,
        "指令|指示|提示词|提示詞|命令|指引|指导|指導|准则|準則|设定|設定|系统提示|プロンプト|命令|ガイドライン|インストラクション|指令|지시*|지침*|명령*|프롬프트*|가이드라인*|huong dan|chi thi|chi dan|lenh|instruksi*|petunjuk|perintah|arahan|pedoman|คำสัง|คำแนะนำ|निरदेश*|आदेश*|अनुदेश*|हिदायत*",
    ),
    (
        RULES,
        "规则|規則|规定|規定|限制|约束|約束|对话|對話|内容|內容|消息|上下文|ルール|制限|制約|メッセージ|規約|会話|規則|규칙*|제한*|제약*|메시지*|대화*|맥락*|quy tac|quy dinh|gioi han|han che|tin nhan|aturan|batasan|peraturan|larangan|pesan|konteks|กฎ|ขอจำกัด|ขอความ|नियम*|परतिबध*|सीमा*|要求",
    ),
    (
        SCOPE,
        "之前|以前|先前|上述|所有|前面|以上|全部|原来|原來|原有|一切|任何|早前|此前|上面|您的|你的|以前|これまで|上記|すべて|全て|全部|前の|先の|今まで|最初の|元の|直前|それまで|あらゆる|이전*|모든|위의|앞의|앞선|지금까지*|기존*|전의|상기|원래|모두|truoc*|tren|tat ca|moi|ban dau|o tren|truoc do|sebelumnya|semua|di atas|awal|seluruh|terdahulu|กอนหนา*|ทังหมด|ขางตน|ทุก|पिछल*|सभी|पूरव*|उपरोकत|पहले|ऊपर",
    ),
    (
        BEFORE,
        "上面的内容|以上内容|以上的一切|之前的一切|前面所有|上文|上記の内容|これまでの内容|以上の内容|上の内容|위 내용*|위의 내용*|앞의 내용*|이전 내용*|nhung gi o tren|semua di atas|yang di atas|前面的要求|之前的要求|前の命令|앞의 명령*",
    ),
    (
        WORK,
        "函数|函數|文章|论文|論文|文件|文档|文檔|简历|簡歷|代码|程式|报告|報告|表格|网页|網頁|关数|関数|記事|文書|履歴書|コード|レポート|文章|ページ|함수*|기사*|문서*|이력서*|코드*|보고서*|본문*|논문*|ham|bai viet|tai lieu|van ban|fungsi|artikel|dokumen|teks|laporan|ฟังกชัน|บทความ|เอกสาร|फकशन|लेख|दसतावेज",
    ),
    (
        SAY,
        "说|說|回答|回复|回覆|输出|輸出|告诉|告訴|声明|写|寫|显示|顯示|打印|指出|陈述|答复|请说|请回答|言って|答えて|答えろ|述べて|出力して|書いて|返答して|回答して|表示して|と言え|と答え|と述べ|言いなさい|答えなさい|말해*|말하*|답해*|답하*|출력해*|출력하*|써|작성해*|대답해*|대답하*|응답하*|알려*|hay noi|noi rang|tra loi|viet|cho biet|katakan*|jawab*|sebutkan|tulis*|nyatakan*|ตอบ|พูด|บอก|เขียน|कहो|कहे|बताओ|बताए|लिखो|लिखे|उततर|जवाब",
    ),
    (
        ASK,
        "你能|您能|你可以|您可以|能告诉我|能不能|能否|可以告诉|请告诉我|告诉我|告訴我|给我|給我|请问|請問|是什么|是什麼|什么是|是多少|住在哪|在哪里|请提供|我想知道|我需要知道|请给|教えて|くれますか|もらえますか|できますか|ください|何ですか|なんですか|どこに住|どこですか|知りたい|してください|할 수 있*|수 있나요|수 있습니까|알려줘*|알려주*|알려 주*|말해줘*|말해 주*|무엇입니까|무엇인가요|뭐야|뭔가요|뭐예요|어디에 살*|어디 사*|가르쳐*|주세요|ban co the|co the cho|cho toi|noi cho toi|hay cho|la gi|o dau|toi can biet|bisakah*|bisa kah|dapatkah*|beri tahu|beritahu*|katakan padaku|berikan*|apa itu|apakah|di mana|คุณชวย|ชวยบอก|บอกฉัน|คืออะไร|อะไร|कया आप|मुझे बता*|कया है|बताइए|कृपया|कहा रहत*",
    ),
    (
        QUESTION,
        "什么|什麼|谁|誰|哪|为什么|為什麼|怎么|怎麼|如何|吗|嗎|何|誰|どこ|いつ|なぜ|どう|どの|ですか|ますか|무엇*|누구*|어디*|언제|왜|어떻게|인가요|입니까|습니까|gi|ai|o dau|khi nao|tai sao|apa|siapa|mengapa|bagaimana|kapan|कया|कौन|कहा|कब|कयो|कैसे",
    ),
    (
        SECRET,
        "密码|密碼|口令|密钥|密鑰|秘钥|密语|机密|機密|秘密|暗号|验证码|凭证|凭据|パスワード|暗証番号|合言葉|秘密鍵|秘密|パスフレーズ|シークレット|認証情報|機密情報|비밀번호*|암호*|패스워드*|비밀 키*|비밀키*|비밀*|자격 증명*|기밀*|mat khau|khoa bi mat|ma bi mat|bi mat|kata sandi|sandi|kata kunci|kunci rahasia|kode rahasia|rahasia|รหัสผาน|รหัสลับ|ความลับ|पासवरड*|गुपत*|कूट*",
    ),
    (
        PERSONAL,
        "住址|地址|出生日期|生日|电话号码|電話號碼|手机号|邮箱|工资|薪水|余额|餘額|个人信息|個人信息|身份证|住所|住んで|生年月日|誕生日|電話番号|メールアドレス|給料|残高|個人情報|居住地|주소*|생년월일*|생일*|전화번호*|이메일*|급여*|잔액*|개인정보*|거주지*|dia chi|ngay sinh|so dien thoai|so du|thong tin ca nhan|noi o|alamat|tanggal lahir|nomor telepon|saldo|gaji|data pribadi|tempat tinggal|ทีอยู|วันเกิด|เบอรโทร|पता|जनम*|फोन नबर|वयकतिगत",
    ),
    (
        USER,
        "用户|用戶|客户|客戶|患者|员工|数据库|ユーザー|利用者|顧客|お客様|さん|데이터베이스*|사용자*|고객*|님|nguoi dung|khach hang|pengguna|pelanggan|ผูใช|ลูกคา|उपयोगकरता*|गराहक*",
    ),
    (YOU, "你|您|妳|あなた|君|貴方|당신*|너는|너의|네|귀하*|ban|anda|kamu|คุณ|आप*|तुम*"),
    (
        ACT,
        "你现在是|现在你是|你現在是|從現在開始|从现在开始|从现在起|從現在起|从此刻起|假装|假裝|扮演|充当|充當|角色扮演|作为一个没有|你将扮演|你不再是|あなたは今|これからあなたは|今からあなたは|これから|今から|今後|のふりをして|ふりをし|として振る舞|として行動|を演じて|になりきって|役割を|지금부터|이제부터|너는 이제|당신은 이제|이제 너는|이제 당신은|인 척*|척해*|역할을*|처럼 행동*|연기해*|bay gio ban la|tu bay gio|ke tu bay gio|hay dong vai|dong vai|gia vo|sekarang kamu adalah|sekarang anda adalah|mulai sekarang|berpura pura|bertindaklah|bertindak sebagai|berperan sebagai|ตังแตนีไป|แกลงทำ|สวมบทบาท|अब से|अब आप|अब तुम|अभिनय कर*|नाटक कर*",
    ),
    (
        FREE,
        "没有任何限制|沒有任何限制|没有限制|沒有限制|不受限制|无限制|無限制|不受约束|不受任何|没有规则|无需遵守|制限なし|制限のない|無制限|制限なく|ルールなし|検閲なし|제한 없*|제한없*|무제한*|규칙 없*|검열 없*|khong gioi han|khong co gioi han|khong han che|tanpa batas*|tanpa aturan|tanpa filter|ไมมีขอจำกัด|बिना किसी परतिबध|कोई सीमा नही|제한이 없*|아무런 제한*|どんな制限も",
    ),
    (
        SCENE,
        "想象|想像|假设|假設|假如|设想|在一个世界|虚构|虛構|想像して|想像してみ|仮に|もし|仮定|という世界|架空|상상해*|상상하*|가정해*|가정하*|만약|가상*|hay tuong tuong|tuong tuong|gia su|gia dinh|bayangkan*|misalkan|andaikan|anggaplah|จินตนาการ|สมมติ|สมมุติ|कलपना|मान लीजिए|मान लो",
    ),
    (IF, "假设|假設|假如|理论上|仮に|理論上|가정*|이론*|gia su|misalkan|secara hipotetis"),
    (
        TURN,
        "顺便|順便|说到|說到|谈到|談到|话说|對了|对了|另外|ところで|といえば|ちなみに|そういえば|について話す|그런데|말이 나온 김에|그나저나|참고로|하니 말인데|nhan tien|noi ve|noi den|a ma|ngomong ngomong|omong omong|berbicara tentang|bicara soal|พูดถึง|อีกอยาง|वैसे|की बात करे",
    ),
    (
        CHAT,
        "我最近|最近我|我一直|我喜欢|我喜歡|我想|最近|私は|저는|나는|요즘|최근|toi da|gan day|dao nay|akhir akhir ini|saya suka|saya telah|saya sedang|हाल ही|मै",
    ),
    (
        OFFICE,
        "我是管理员|我是管理員|我是开发者|我是開發者|我是你的开发者|我是你的创造者|我是警察|我是上帝|我是神|作为管理员|管理者です|開発者です|私は管理者|私は開発者|私は警察|私は神|관리자입니다|개발자입니다|나는 관리자*|나는 개발자*|나는 경찰*|나는 신*|toi la quan tri|toi la nha phat trien|toi la canh sat|saya adalah admin*|saya admin*|saya pengembang|saya adalah pengembang|saya polisi|saya adalah tuhan|मै वयवसथापक|मै डेवलपर",
    ),
    (
        PRESSURE,
        "紧急|緊急|立即|马上|馬上|立刻|非常重要|生死|我会给你|我給你|緊急|至急|すぐに|直ちに|命に関わ|긴급*|즉시|당장|지금 당장|생사|khan cap|ngay lap tuc|segera|darurat|penting sekali|ดวน|ทันที|तुरत|अतयत आवशयक",
    ),
    (
        OBEY,
        "必须回答|必須回答|必须服从|你必须|您必须|你必須|回答我的所有|无条件|必ず答え|答えなければ|従いなさい|従え|반드시 답*|대답해야*|따라야*|복종*|phai tra loi|hay tuan theo|harus menjawab|wajib menjawab|patuhi|ตองตอบ|जवाब देना होगा",
    ),
    (
        PROMPT,
        "系统提示|系統提示|系统提示词|系統提示詞|系统消息|系统指令|初始指令|你的指令|你的提示|你的规则|初始提示|原始指令|隐藏指令|你被告知|システムプロンプト|システムメッセージ|初期指示|あなたの指示|あなたのルール|内部指示|隠された指示|시스템 프롬프트*|시스템 메시지*|초기 지시*|너의 지시*|당신의 지시*|당신의 규칙*|숨겨진 지시*|system prompt|prompt he thong|chi thi he thong|loi nhac he thong|prompt sistem|instruksi sistem|instruksi awal|instruksimu|instruksi anda|พรอมตระบบ|सिसटम परॉमपट",
    ),
    (
        REVEAL,
        "透露|泄露|洩露|显示|顯示|展示|告诉|重复|重複|复述|输出|打印|公开|说出|見せて|教えて|明かして|開示して|繰り返して|出力して|公開して|表示して|공개해*|공개하*|보여줘*|보여주*|알려*|출력해*|반복해*|밝혀*|tiet lo|hien thi|cho xem|lap lai|in ra|ungkap*|tampilkan*|tunjukkan*|ulangi|bocorkan*|เปิดเผย|แสดง|परकट|दिखा*|दोहरा*",
    ),
    (
        CONCEAL,
        "不要告诉用户|不要告訴用戶|别告诉用户|不要让用户|不要通知用户|不要提及|不要提到|秘密地|悄悄|偷偷|瞒着|ユーザーに言わないで|ユーザーに伝えないで|ユーザーには|言及しないで|秘密裏に|こっそり|ひそかに|사용자에게 말하지*|사용자에게 알리지*|언급하지 마*|몰래|비밀리에|은밀히|dung noi voi nguoi dung|khong noi voi nguoi dung|khong duoc noi voi|am tham|bi mat|jangan beri tahu|jangan beritahu|jangan katakan kepada pengguna|tanpa memberi tahu|diam diam|secara rahasia|อยาบอกผูใช|उपयोगकरता को न बता*|चुपचाप",
    ),
    (
        FORM,
        "诗|詩|俳句|歌|谜语|謎語|绕口令|藏头诗|俳句|詩|歌詞|なぞなぞ|物語|시|하이쿠*|노래*|수수께끼*|bai tho|tho|bai hat|cau do|puisi|pantun|lagu|teka teki|haiku|บทกวี|กลอน|เพลง|कविता|गीत|पहेली",
    ),
    (
        MAKE,
        "写|寫|创作|創作|翻译|翻譯|解释|解釋|描述|编写|生成|用诗|書いて|作って|説明して|翻訳して|써줘*|작성해*|설명해*|번역해*|만들어*|viet|giai thich|dich|mo ta|sang tac|tuliskan*|buatkan*|buatlah|jelaskan*|terjemahkan*|ceritakan*|แตง|อธิบาย|แปล|लिख*|समझा*|अनुवाद",
    ),
    (
        NEWS,
        "新指令|新的指令|新的指示|新任务|新任務|新的规则|重要指令|新しい指示|新しい命令|新しいタスク|新たな指示|새로운 지시*|새 지시*|새로운 명령*|새로운 임무*|huong dan moi|nhiem vu moi|lenh moi|instruksi baru|perintah baru|tugas baru|คำสังใหม|नए निरदेश|नया निरदेश",
    ),
    (
        AND,
        "并|並|然后|然後|而是|改为|请|請|そして|代わりに|して|그리고|대신|하고|va|thay vao do|hay|dan|lalu|sebagai gantinya|และ|แลว|और|फिर|बजाय",
    ),
    (
        NOT,
        "不要|不得|切勿|别|勿|ないで|しないで|ません|지 마*|지 말*|않는|않고|dung|khong|jangan|tidak|อยา|ไม|मत|नही",
    ),
    (
        MODE,
        "开发者模式|開發者模式|调试模式|管理员模式|上帝模式|维护模式|開発者モード|デバッグモード|管理者モード|メンテナンスモード|개발자 모드*|디버그 모드*|관리자 모드*|유지보수 모드*|che do nha phat trien|che do quan tri|mode pengembang|mode admin|โหมดนักพัฒนา|डेवलपर मोड",
    ),
    (
        FORMS,
        "重置|忘记密码|忘記密碼|修改密码|输入密码|設定し|忘れた場合|再設定|リセット|변경|재설정|입력하|분실|dat lai|quen mat khau|nhap|ubah|lupa|masukkan|atur ulang|入力|記入|填写|填寫|输入|輸入|입력",
    ),
    (
        VOID,
        "作废|作廢|无效|無效|不再有效|失效|無効|取り消され|무효*|더 이상 유효하지*|khong con hieu luc|tidak berlaku",
    ),
    (
        SEND,
        "发送|發送|上传|上傳|转发|轉發|发给|寄给|送信|アップロード|転送|送って|보내*|전송*|업로드*|gui|chuyen tiep|tai len|kirim*|unggah*",
    ),
    (
        LOOT,
        "环境变量|密钥|凭证|聊天记录|环境变数|環境変数|認証情報|会話履歴|환경 변수*|자격 증명*|대화 기록*|lich su tro chuyen|riwayat percakapan",
    ),
    (LIVES, "住在哪|住哪|どこに住|어디에 살*|어디 사*|song o dau|tinggal di mana"),
];
