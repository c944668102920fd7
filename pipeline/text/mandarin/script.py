"""Traditional characters: the rules know simplified ones, and what they say goes back into the text's own.

Knows the characters the rules use and the commonest others, not Chinese at large. Pure; any thread may call
it.
"""

from __future__ import annotations

import re

_PAIRS = (
    "這这個个們们來来時时間间會会說说國国學学對对開开關关門门車车東东長长書书見见電电話话語语請请謝谢"
    "讓让認认識识覺觉聽听實实過过還还進进遠远選选發发頭头體体讀读寫写買买賣卖錢钱銀银隻只雙双塊块圓圆"
    "氣气溫温攝摄鐘钟後后為为與与從从當当無无樣样種种歲岁歷历愛爱樂乐歡欢點点號号萬万億亿兩两幾几週周"
    "參参數数據据總总統统產产業业區区縣县場场員员麼么應应該该給给沒没僅仅約约達达碼码網网際际線线纜缆"
    "軟软檔档價价貴贵減减動动運运賽赛勝胜領领擊击敗败陽阳陰阴風风雲云雞鸡魚鱼鳥鸟馬马龍龙飯饭館馆療疗"
    "藥药醫医師师爾尔亞亚歐欧韓韩聯联經经濟济術术機机構构質质腦脑視视頻频圖图紙纸畫画節节課课題题問问"
    "復复雜杂單单層层樓楼頁页張张條条輛辆棟栋組组隊队幣币鎊镑鐵铁鈔钞銖铢盧卢頓顿納纳壓压窮穷級级屆届"
    "戶户帳帐證证驗验撥拨郵邮遞递傳传繫系熱热務务緊紧訂订購购賬账編编籤签輸输贏赢負负績绩戰战橫横掃扫"
    "優优勢势慘惨險险轉转壯壮攤摊衛卫導导彈弹艦舰殲歼轟轰環环黨党慶庆紀纪曆历禮礼農农舊旧畢毕齡龄於于"
    "裡里內内餘余腳脚臺台龐庞幀帧蘭兰飽饱顆颗頂顶則则漲涨調调結结處处採采訪访臉脸聲声響响預预報报滿满"
    "親亲態态黃黄藍蓝綠绿紅红晝昼讚赞萊莱華华爲为裏里衆众測测試试評评論论帶带嗎吗誰谁鬧闹鬆松懷怀舉举"
    "紐纽詢询難难雖虽邊边離离軍军隨随陣阵陸陆陳陈燒烧傾倾錄录賠赔寬宽匯汇範范圍围標标準准確确銷销擇择"
    "廠厂廣广盤盘鍋锅噸吨畝亩筆笔項项罷罢嶺岭艙舱廂厢靜静聖圣誕诞剛刚獎奖獲获懸悬適适貨货費费資资訊讯"
    "鄉乡鎮镇島岛灣湾傷伤鍵键遙遥殘残奧奥續续賓宾棄弃檢检櫃柜錶表鬥斗戲戏裝装輪轮顯显變变爭争稱称維维"
    "較较"
)
"""Each traditional character and its simplified one."""
_SIMPLIFIED = str.maketrans(_PAIRS[::2], _PAIRS[1::2])
_TRADITIONAL = re.compile(f"[{_PAIRS[::2]}]")
_SAID = str.maketrans(
    "点万亿两负摄华镑欧韩卢币铢时钟转帧兰纳无穷为号减约",
    "點萬億兩負攝華鎊歐韓盧幣銖時鐘轉幀蘭納無窮為號減約",
)
"""What the rules say; characters with two traditional forms, as in 公里, stay as they are."""


def simplified(text: str) -> str:
    """Return the text with its traditional characters replaced, each in its place."""
    return text.translate(_SIMPLIFIED) if _TRADITIONAL.search(text) else text


def traditional(words: str) -> str:
    """Return what a rule says in traditional characters."""
    return words.translate(_SAID)
