# prototypes.awk - the SYNOPSIS of a header: its prototypes as macros of mdoc
#
#     awk -f prototypes.awk include/cltb/cltb.h
#
# A prototype begins at the margin with a type and a name cltb_*, and ends with its first ");".

function trim(text) {
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    return text
}

FNR == 1 {
    sub(/.*\/include\//, "", FILENAME)
    print ".In " FILENAME
}

/^(const )?[a-z0-9_]+ \*?cltb_[a-z_]+\(/ { prototype = "" ; open = 1 }
open { prototype = prototype " " trim($0) }
open && /\);/ {
    open = 0
    at = index(prototype, "(")
    head = trim(substr(prototype, 1, at - 1))
    name = head
    sub(/.*[ *]/, "", name)
    type = trim(substr(head, 1, length(head) - length(name)))
    arguments = substr(prototype, at + 1)
    sub(/\);.*/, "", arguments)
    print ".Ft " (type ~ / / ? "\"" type "\"" : type)
    print ".Fo " name
    n = split(arguments, argument, ",")
    for (i = 1; i <= n; i++)
        print ".Fa \"" trim(argument[i]) "\""
    print ".Fc"
}
