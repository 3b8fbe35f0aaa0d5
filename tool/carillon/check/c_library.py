# SPDX-License-Identifier: Apache-2.0
"""The names of C's library: functions belong to the compiler and the linker, macros and types to the headers.

C11 7.1.3 reserves these names; annex B lists them, except the families that :data:`FAMILIES` matches.
"""

from __future__ import annotations

import re

NAMES = frozenset(
    """
    BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC CMPLX CMPLXF CMPLXL DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON
    DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN
    DECIMAL_DIG EDOM EILSEQ EOF ERANGE EXIT_FAILURE EXIT_SUCCESS FILE FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON
    FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP
    FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN FOPEN_MAX HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INT_MAX INT_MIN LDBL_DECIMAL_DIG
    LDBL_DIG LDBL_EPSILON LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP
    LDBL_MIN_EXP LDBL_TRUE_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN L_tmpnam MATH_ERRNO MB_CUR_MAX MB_LEN_MAX NAN NULL
    PTRDIFF_MAX PTRDIFF_MIN RAND_MAX SCHAR_MAX SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIZE_MAX TIME_UTC
    TMP_MAX UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX WCHAR_MAX WCHAR_MIN WEOF WINT_MAX WINT_MIN abort abs acos
    acosf acosh acoshf acoshl acosl aligned_alloc asctime asin asinf asinh asinhf asinhl asinl assert at_quick_exit atan
    atan2 atan2f atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll bsearch btowc cabs cabsf cabsl cacos
    cacosf cacosh cacoshf cacoshl cacosl calloc carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf
    catanh catanhf catanhl catanl cbrt cbrtf cbrtl ccos ccosf ccosh ccoshf ccoshl ccosl ceil ceilf ceill cexp cexpf cexpl
    cimag cimagf cimagl clearerr clock clock_t clog clogf clogl complex conj conjf conjl copysign copysignf copysignl cos
    cosf cosh coshf coshl cosl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall csin csinf csinh csinhf csinhl
    csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctime difftime div div_t double_t erf erfc erfcf erfcl
    erff erfl errno exit exp exp2 exp2f exp2l expf expl expm1 expm1f expm1l fabs fabsf fabsl fclose fdim fdimf fdiml
    feclearexcept fegetenv fegetexceptflag fegetround feholdexcept fenv_t feof feraiseexcept ferror fesetenv
    fesetexceptflag fesetround fetestexcept feupdateenv fexcept_t fflush fgetc fgetpos fgets fgetwc fgetws float_t floor
    floorf floorl fma fmaf fmal fmax fmaxf fmaxl fmin fminf fminl fmod fmodf fmodl fopen fpclassify fpos_t fprintf fputc
    fputs fputwc fputws fread free freopen frexp frexpf frexpl fscanf fseek fsetpos ftell fwprintf fwrite fwscanf getc
    getchar getenv getwc getwchar gmtime hypot hypotf hypotl ilogb ilogbf ilogbl imaxabs imaxdiv imaxdiv_t intmax_t
    intptr_t isalnum isalpha isblank iscntrl isdigit isfinite isgraph isgreater isgreaterequal isinf isless islessequal
    islessgreater islower isnan isnormal isprint ispunct isspace isunordered isupper iswalnum iswalpha iswblank iswcntrl
    iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit jmp_buf labs ldexp ldexpf
    ldexpl ldiv ldiv_t lgamma lgammaf lgammal llabs lldiv llrint llrintf llrintl llround llroundf llroundl localeconv
    localtime log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf logl longjmp lrint lrintf
    lrintl lround lroundf lroundl malloc math_errhandling max_align_t mblen mbrlen mbrtowc mbsinit mbsrtowcs mbstate_t
    mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime modf modff modfl nan nanf nanl nearbyint nearbyintf
    nearbyintl nextafter nextafterf nextafterl nexttoward nexttowardf nexttowardl noreturn offsetof perror pow powf powl
    printf ptrdiff_t putc putchar puts putwc putwchar qsort quick_exit raise rand realloc remainder remainderf remainderl
    remove remquo remquof remquol rename rewind rint rintf rintl round roundf roundl scalbln scalblnf scalblnl scalbn
    scalbnf scalbnl scanf setbuf setjmp setlocale setvbuf sig_atomic_t signal signbit sin sinf sinh sinhf sinhl sinl
    size_t snprintf sprintf sqrt sqrtf sqrtl srand sscanf stderr stdin stdout strcat strchr strcmp strcoll strcpy strcspn
    strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtoimax strtok strtol
    strtold strtoll strtoul strtoull strtoumax strxfrm swprintf swscanf system tan tanf tanh tanhf tanhl tanl tgamma
    tgammaf tgammal time time_t timespec_get tmpfile tmpnam tolower toupper towctrans towlower towupper trunc truncf
    truncl uintmax_t uintptr_t ungetc ungetwc va_arg va_copy va_end va_list va_start vfprintf vfscanf vfwprintf vfwscanf
    vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wchar_t wcrtomb wcscat wcschr wcscmp
    wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof
    wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb wctrans wctrans_t
    wctype wctype_t wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf wscanf
    """.split()  # noqa: SIM905
)
FAMILIES = re.compile(
    r"(PRI|SCN)[diouxX]((FAST|LEAST)?(8|16|32|64)|MAX|PTR)"
    r"|U?INT((_FAST|_LEAST)?(8|16|32|64)|MAX|PTR)_(MIN|MAX|C)|u?int((_fast|_least)?(8|16|32|64)|max|ptr)_t",
    re.ASCII,
)


def in_library(name: str) -> bool:
    """Whether ``name`` is one of C's own library."""
    return name in NAMES or FAMILIES.fullmatch(name) is not None
