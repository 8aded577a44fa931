// consumer.c - a program outside this project that uses the installed library
#include <cltb/cltb.h>

#include <stdio.h>

int main(void)
{
    printf("cltb_error() is \"%s\"\n", cltb_error());
    return 0;
}
