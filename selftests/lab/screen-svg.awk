# SPDX-License-Identifier: GPL-2.0
#
# A terminal's screen as an SVG picture: its lines, with ESC written as \e, as
# "tmux capture-pane -e" gives them. Styles last until they are changed, over lines, too.
# Bytes, not characters: awks differ in what these are.

function width(text) {
	gsub(/[\200-\277]/, "", text)
	return length(text)
}

function escaped(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	return text
}

function style(codes,	n, i, code) {
	n = split(codes, code, ";")
	if (!n) {
		n = 1
		code[1] = 0
	}
	for (i = 1; i <= n; i++) {
		if (code[i] == 0)
			bold = inverse = colour = 0
		else if (code[i] == 1)
			bold = 1
		else if (code[i] == 7)
			inverse = 1
		else if (code[i] >= 30 && code[i] <= 37)
			colour = code[i]
		else if (code[i] == 39)
			colour = 0
	}
}

# Without the blanks around it, which some would leave out
function put_words(text, front,	at) {
	match(text, /^ */)
	at = x + RLENGTH
	sub(/^ +/, "", text)
	sub(/ +$/, "", text)
	if (text != "")
		body = body sprintf("<text x=\"%d\" y=\"%d\" fill=\"%s\"%s textLength=\"%d\"" \
			" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n", at * 8, y * 16 + 13, front,
			bold ? " font-weight=\"bold\"" : "", width(text) * 8, escaped(text))
}

function put(text,	columns, front, back) {
	columns = width(text)
	if (!columns)
		return
	front = colour in colours ? colours[colour] : "#d0d0d0"
	back = "#101010"
	if (inverse) {
		body = body sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
			x * 8, y * 16, columns * 8, 16, front)
		front = back
	}
	put_words(text, front)
	x += columns
	if (x > most)
		most = x
}

BEGIN {
	colours[31] = "#ff6060"
	colours[32] = "#60d060"
	colours[33] = "#e0c040"
	colours[36] = "#60b0c0"
}

{
	x = 0
	y = NR - 1
	line = $0
	while (match(line, /\\e\[[0-9;]*m/)) {
		begin = RSTART
		len = RLENGTH
		put(substr(line, 1, begin - 1))
		style(substr(line, begin + 3, len - 4))
		line = substr(line, begin + len)
	}
	put(line)
}

END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"" \
		" font-family=\"monospace\" font-size=\"13\" xml:space=\"preserve\">\n", most * 8, NR * 16
	printf "<!-- SPDX-License-Identifier: GPL-2.0 -->\n"
	printf "<rect width=\"100%%\" height=\"100%%\" fill=\"#101010\"/>\n%s</svg>\n", body
}
