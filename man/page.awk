# page.awk - turns the help of a command into its manual page
#
#     cltb help build | awk -v command=build -v summary='makes tables' -v date='November 22, 2026' -f page.awk
#
# Lines of the help up to the first empty one are the usage. After them, text at the margin is a paragraph, and text
# that is indented a list:
#
#     "    TAG  text"      an entry; blanks stand two or more between tag and text
#     "      WORD  text"   an entry whose tag is the one before with another last word: `--format text` and then `tsv`
#     "        text"       more of an entry's text
#
# Sentences begin on new lines, as mdoc wants it. `commands` in the text are bold.

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# Prints a sentence in lines of up to 78 bytes.
function print_sentence(sentence,    word, n, i, line) {
    n = split(sentence, word, " ")
    line = ""
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(word[i]) > 78) {
            print line
            line = ""
        }
        if (line == "")
            line = (word[i] ~ /^[.]/ ? "\\&" : "") word[i]
        else
            line = line " " word[i]
    }
    if (line != "")
        print line
}

# Prints the running text, which is empty then.
function print_text(    part, n, i) {
    text = escape(text)
    n = split(text, part, "`")
    text = ""
    for (i = 1; i <= n; i++)
        text = text part[i] (i == n ? "" : i % 2 == 1 ? "\\fB" : "\\fP")
    gsub(/[.!?][)]? /, "&\n", text)
    n = split(text, part, "\n")
    for (i = 1; i <= n; i++)
        print_sentence(part[i])
    text = ""
}

# The macros and arguments of words such as "[--dir DIR] [--format text|tsv] NAME...", a line for each option
function markup(words,    result, token, quoted, depth, last) {
    result = ""
    depth = 0
    while (words != "") {
        if (match(words, /^ +/)) {
            token = ""
        } else if (match(words, /^'[^']*'/)) {
            quoted = escape(substr(words, 1, RLENGTH))
            gsub(/ /, "\\ ", quoted)
            token = "Ar " quoted
        } else if (match(words, /^\[/)) {
            token = "Oo"
        } else if (match(words, /^\]/)) {
            token = "Oc"
        } else if (match(words, /^\|/)) {
            token = "|"
        } else if (match(words, /^\.\.\./)) {
            token = "Ar ..."
        } else if (match(words, /^--[^] |=]*/)) {
            token = "Fl " escape(substr(words, 2, RLENGTH - 1))
        } else {
            match(words, /^[^] |.]+(\.[^] |.]+)*/)
            token = substr(words, 1, RLENGTH)
            token = (token ~ /[A-Z]/ || token == "options" ? "Ar " : "Cm ") escape(token)
        }
        words = substr(words, RLENGTH + 1)
        if (token == "")
            continue
        result = result (result == "" ? "." : depth == 0 && last != "|" && token ~ /^(Oo|Fl)/ ? "\n." : " ") token
        depth += (token == "Oo") - (token == "Oc")
        last = token
    }
    return result
}

function end_list() {
    print_text()
    if (listed)
        print ".El"
    listed = 0
}

function print_usage(    n, part, i) {
    n = split(usage, part, "\n")
    for (i = 2; i <= n; i++) {
        sub("^cltb " command " *", "", part[i])
        print ".Nm cltb " command
        if (part[i] != "")
            print markup(part[i])
    }
}

BEGIN {
    name = "cltb-" command
    print ".\\\" made by man/page.awk from host/cli/help/" command ".txt"
    print ".Dd " date
    print ".Dt " toupper(name) " 1"
    print ".Os"
    print ".Sh NAME"
    print ".Nm " name
    print ".Nd " summary
    print ".Sh SYNOPSIS"
}

!described && /^cltb / { usage = usage "\n" $0; next }
!described && /^ / { sub(/^ +/, " "); usage = usage $0; next }
!described && /^$/ {
    described = 1
    print_usage()
    print ".Sh DESCRIPTION"
    blank = 0
    next
}

/^$/ { end_list(); blank = 1; next }

# An entry, or the same with another last word
/^    [^ ]/ || /^     +[^ ]+  +[^ ]/ {
    print_text()
    line = $0
    inner = line ~ /^     /
    sub(/^ +/, "", line)
    at = match(line, /  +/)
    word = at ? substr(line, 1, at - 1) : line
    text = at ? substr(line, at + RLENGTH) : ""
    if (inner)
        sub(/[^ ]+$/, word, tag)
    else
        tag = word
    if (!listed)
        print ".Bl -tag -width Ds"
    listed = 1
    print ".It " substr(markup(tag), 2)
    next
}

/^ / { sub(/^ +/, " "); text = text $0; next }

{
    if (blank && text == "") {
        print ".Pp"
        blank = 0
    }
    text = text (text == "" ? "" : " ") $0
}

END { end_list() }
