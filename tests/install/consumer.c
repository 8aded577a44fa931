// consumer.c - a program outside this project that uses the installed library
#include <cltb/cltb.h>
#include <cltb/dobutsu.h>
#include <cltb/gap.h>

#include <stdio.h>

// A name that the library also uses
int position_make(void);
int position_make(void)
{
    return 0;
}

int main(void)
{
    cltb_dobutsu *dobutsu;
    if (cltb_dobutsu_open(&dobutsu, "nowhere", NULL) != CLTB_E_MISSING)
        return 1;
    cltb_tables *tables;
    cltb_value value;
    if (position_make() != 0 || cltb_open(&tables, "nowhere", NULL) != CLTB_OK ||
        cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1", &value) != CLTB_E_MISSING)
        return 1;
    cltb_close(tables);
    const uint64_t plane = 0x2c;
    uint8_t code[3];
    size_t bytes;
    if (cltb_gap_encode(&plane, 8, code, sizeof code, &bytes) != CLTB_OK || bytes != 3)
        return 1;
    printf("cltb_error() is \"%s\"\n", cltb_error());
    return 0;
}
