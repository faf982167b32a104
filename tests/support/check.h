/* What every test needs: cmocka with the headers that it asks for, and the length of an array. */
#ifndef HR_TESTS_SUPPORT_CHECK_H
#define HR_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
