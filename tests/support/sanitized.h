/* Whether this program runs under a sanitizer: several times slower, with terabytes of addresses reserved. */
#ifndef HR_TESTS_SUPPORT_SANITIZED_H
#define HR_TESTS_SUPPORT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif
#else
enum { IS_SANITIZED = 0 };
#endif

#endif
