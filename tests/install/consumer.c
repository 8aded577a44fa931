// consumer.c - a program outside this project that uses the installed library
#include <cltb/cltb.h>
#include <cltb/dobutsu.h>

#include <stdio.h>

int main(void)
{
    cltb_dobutsu *dobutsu;
    if (cltb_dobutsu_open(&dobutsu, "nowhere", NULL) != CLTB_E_MISSING)
        return 1;
    printf("cltb_error() is \"%s\"\n", cltb_error());
    return 0;
}
