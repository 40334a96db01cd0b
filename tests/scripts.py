"""Requests in many scripts: of each language three intents, each asked twice, and a word that a text has."""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """Requests of one language.

    Attributes:
        known: refund, password and delivery.
        asked: the same intents in other words.
        word: stands in the first known text only.
    """

    known: tuple[str, str, str]
    asked: tuple[str, str, str]
    word: str


LANGUAGES = {
    "Chinese": Language(
        ("我买的鞋子想要退款", "登录密码忘了怎么重置", "包裹什么时候能送到"),
        ("退款申请怎么提交", "我想修改密码", "为什么包裹还没送到"),
        "退款",
    ),
    "Japanese": Language(
        ("購入した靴の返金をお願いします", "パスワードを忘れました", "荷物はいつ届きますか"),
        ("返金の方法を教えて", "ﾊﾟｽﾜｰﾄﾞを変更したい", "荷物がまだ届きません"),
        "返金",
    ),
    "Korean": Language(
        ("구매한 신발을 환불하고 싶어요", "비밀번호를 잊어버렸어요", "택배가 언제 도착하나요"),
        ("신발 환불 방법", "비밀번호 재설정", "아직 택배를 못 받았어요"),
        "환불",
    ),
    "Thai": Language(
        ("ฉันอยากขอคืนเงินค่ารองเท้า", "ลืมรหัสผ่านเข้าระบบ", "พัสดุจะมาถึงเมื่อไหร่"),
        ("ขั้นตอนการคืนเงินเป็นอย่างไร", "เปลี่ยนรหัสผ่านอย่างไร", "ยังไม่ได้รับพัสดุ"),
        "คืนเงิน",
    ),
    "Hindi": Language(
        ("मुझे जूतों का पैसा वापस चाहिए", "मैं अपना पासवर्ड भूल गया", "मेरा पार्सल कब पहुँचेगा"),
        ("पैसा कब मिलेगा", "पासवर्ड कैसे बदलें", "पार्सल अभी तक नहीं आया"),
        "पैसा",
    ),
    "Arabic": Language(
        ("أريد استرداد ثمن الحذاء", "نسيت كلمة المرور", "متى تصل الشحنة"),
        ("كيف يتم استرداد المال", "تغيير كلمة السر", "لم أستلم الشحنة بعد"),
        "استرداد",
    ),
    "Hebrew": Language(
        ("אני רוצה החזר כספי על הנעליים", "שכחתי את הסיסמה שלי", "מתי תגיע החבילה"),
        ("איך מקבלים החזר", "שינוי סיסמה", "החבילה עדיין לא כאן"),
        "החזר",
    ),
    "Russian": Language(
        ("Хочу вернуть деньги за обувь", "Я забыл пароль от кабинета", "Когда приедет посылка"),
        ("Как получить деньги назад", "Смена пароля", "Где моя посылка"),
        "деньги",
    ),
    "Greek": Language(
        ("Θέλω επιστροφή χρημάτων για τα παπούτσια", "Ξέχασα τον κωδικό μου", "Πότε φτάνει το δέμα"),
        ("Πώς γίνεται η επιστροφή", "Αλλαγή κωδικού", "Πού είναι το δέμα"),
        "επιστροφή",
    ),
    "German": Language(
        ("Ich möchte eine Rückerstattung für die Schuhe", "Ich habe das Passwort vergessen", "Wann kommt die Größe L"),
        ("Wie bekomme ich die Rückerstattung", "Mein Passwort ändern", "Welche GRÖSSE kommt wann"),
        "Rückerstattung",
    ),
    "French": Language(
        ("Je veux être remboursé pour mes chaussures", "J’ai oublié mon mot de passe", "Où est mon colis égaré"),
        ("Quand serai-je remboursé", "Changer le mot de passe", "Mon colis s’est égaré"),
        "remboursé",
    ),
    "Vietnamese": Language(
        ("Tôi muốn hoàn tiền đôi giày", "Tôi quên mật khẩu đăng nhập", "Khi nào bưu kiện đến nơi"),
        ("Bao lâu thì được hoàn tiền", "Đổi mật khẩu thế nào", "Bưu kiện bị thất lạc"),
        "hoàn",
    ),
    "emoji": Language(("💸 👟", "🔑 ❓", "📦 🕒"), ("💸 ❗", "🔑 🆕", "📦️ 🏠"), "💸"),
}
