// consumer.c - a program outside this project that uses the installed library
#include <cltb/cltb.h>
#include <cltb/dobutsu.h>
#include <cltb/gap.h>

#include <stdio.h>

int main(void)
{
    cltb_dobutsu *dobutsu;
    if (cltb_dobutsu_open(&dobutsu, "nowhere", NULL) != CLTB_E_MISSING)
        return 1;
    const uint64_t plane = 0x2c;
    uint8_t code[3];
    size_t bytes;
    if (cltb_gap_encode(&plane, 8, code, sizeof code, &bytes) != CLTB_OK || bytes != 3)
        return 1;
    printf("cltb_error() is \"%s\"\n", cltb_error());
    return 0;
}
