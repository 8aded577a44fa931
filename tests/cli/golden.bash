# golden.bash - comparing with reference data made by another program; sourced after common.bash
#
# Tables are read from the folder t. The reference data is described in tests/data/README.md.
# shellcheck shell=bash
golden=${CLTB_GOLDEN:-$source_dir/../shared/golden} # the whole of it, where it is at hand

compare() { # NAME EXPECTED: $out against a file
    diff -u "$2" "$out" >diff || fail "$1: $(head -20 diff)"
}

materials() { # FILE
    sed 1d "$1" | cut -f1 | uniq
}

# Prints the block of a material in the generator's text.
block() { # FILE NAME
    awk -v name="$2" '/^##########/ { on = $2 == name } on' "$1"
}

check_histograms() { # FILE
    local name
    for name in $(materials "$1"); do
        "$cltb" stats "$name" --dir t --format tsv | sed 1d >"$out"
        awk -F'\t' -v name="$name" '$1 == name' "$1" >expected
        compare "histogram of $name" expected
    done
}

check_positions() { # FILE
    sed 1d "$1" | cut -f2- >expected
    cut -f1 expected | "$cltb" probe --dir t --format tsv >"$out"
    compare "positions of ${1##*/}" expected
}

check_stored() { # FILE NAME...: the statistics in the tables
    local file=$1 name
    shift
    for name; do
        block "$file" "$name" >expected
        "$cltb" stats "$name" --dir t --format syzygy >"$out"
        compare "statistics in the file of $name" expected
    done
}

check_counted() { # FILE NAME...: the same counted again, by probing
    local file=$1 name
    shift
    for name; do
        block "$file" "$name" >expected
        "$cltb" stats "$name" --dir t --format syzygy --recount >"$out"
        compare "statistics of $name" expected
    done
}
