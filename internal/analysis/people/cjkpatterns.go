package people

import (
	"regexp"
)

// cjkPatterns match names in Chinese, Japanese and Korean, which have no capitals.
type cjkPatterns struct {
	self, from, titledPerson, japanese, korean, company, corporate, heading, own, chiefs, defined, bracketed *regexp.Regexp
}

func newCJKPatterns() cjkPatterns {
	const (
		zhTitle = `(?:联合创始人|共同创始人|创始人|创办人|首席执行官|首席技术官|总经理|董事长|CEO|CTO|COO)`
		jaTitle = `(?:代表取締役社長|代表取締役|共同創業者|創業者|取締役|最高経営責任者|代表|CEO|CTO|COO)`
		surname = `[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤]`
		firm    = `[\p{Han}\p{Hiragana}\p{Katakana}ー・A-Za-z0-9]{1,20}`
	)
	return cjkPatterns{
		titledPerson: regexp.MustCompile(`(` + zhTitle + `(?:(?:兼|、|/|&|和)` + zhTitle + `)*)[是为：: ]?(` + surname +
			`\p{Han}{1,2}?)(?:[，。、,.；;：:！!（）()\s]|表现|说|是|和|与|的|先生|女士|开了|开会|见|聊|谈|发来|给|在|来|昨|今|介绍|提|带|很|已|将|会|$)`),
		self: regexp.MustCompile(`我(?:是|叫)(?:([\p{Han}A-Za-z0-9]{2,16}?)的?)?(` + zhTitle + `(?:(?:兼|、|/|&|和)` + zhTitle +
			`)*)?(` + surname + `\p{Han}{1,2})[，。,.！!；;\s]`),
		from: regexp.MustCompile(`来自(` + surname + `\p{Han}{1,2})[：:，,]`),
		korean: regexp.MustCompile(
			`([가-힣A-Za-z0-9]{2,20})(?:의)?\s*((?:공동)?창업자|대표이사|대표|CEO|CTO|COO)(?:인|를 맡고 있는|을 맡고 ` +
				`있는)?\s*([가-힣]{2,4}?)(?:입니다|이라고|라고|이에요|예요|님|은|는|이|가|[,.\s]|$)`,
		),
		japanese: regexp.MustCompile(`(` + jaTitle + `(?:(?:兼|、|・|/|&)?` + jaTitle +
			`)*)[、の：: 　]?(\p{Han}{1,3}[ ` +
			`　]?[\p{Han}\p{Hiragana}\p{Katakana}]{1,3}?)(?:と申|です|でござ|より|と言|といいます|さん|氏|様|が|は|に|[、。，,\s]|$)`),
		company: regexp.MustCompile(
			`(?:与|和|对|了|是|在做|创办了|投资|放弃|拒绝|不投|见了|我们是|公司是|项目是|名为|叫做?)了?` +
				`[“「]?([\p{Han}]{2,4}?(?:科技|储能|医疗|智能|生物|机器人|能源|` +
				`网络|数据|软件|信息|材料|电子|健康|教育|农业|物流|金融|汽车|半导体|光电|云|资本)` +
				`[\p{Han}]{0,2}?)[”」]?(?:的|已|正|在|昨|今|上|，|。|,|\s|$)`,
		),
		heading: regexp.MustCompile(`^([\p{Han}\p{Hiragana}\p{Katakana}ーA-Za-z0-9・]{2,14})(?:[:：(（]| ?[–—-] | )`),
		own:     regexp.MustCompile(`我(?:是|们是|叫)([\p{Han}A-Za-z0-9]{2,10}?)的?(?:联合创始人|共同创始人|创始人|创办人|CEO|首席执行官|总经理)`),
		chiefs:  regexp.MustCompile(`(?:^|[，。,、！!：:\s和与跟])([^\P{Han}和与跟的了在对是]{3,8})的(?:联合创始人|共同创始人|创始人|创办人|CEO|首席执行官|总经理)`),
		defined: regexp.MustCompile(
			`(?:^|[，。,：:\s])([^\P{Han}这那我你您他她它该昨今上下去目][^\P{Han}和与跟的了在对]{2,7}?)是(?:一家|一个|做|家|老|由|专)`,
		),
		bracketed: regexp.MustCompile(`(\p{Han}{2,4}|[\p{Katakana}ー]{2,8})[(（]([^()（）\n]{2,20}?)[ 　,、，]?(` + zhTitle + `|` +
			jaTitle + `)[)）]`),
		corporate: regexp.MustCompile(`(株式会社` + firm + `|` + firm + `株式会社|\p{Han}{2,12}有限公司)`),
	}
}
