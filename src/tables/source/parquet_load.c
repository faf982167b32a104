/* Loads the module that reads Parquet files from where this library lies, and keeps it. */
#include "base/fail.h"
#include "tables/source/parquet.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char file[] = "libhedgerow-parquet.so";
static struct {
    pthread_once_t once;
    const hr_parquet_module *module;
    char trouble[256]; /* why there is none */
} parquet_reader = {.once = PTHREAD_ONCE_INIT};

static void load_module(void) {
    hr_parquet_module_getter *get;
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = module ? dlsym(module, HR_PARQUET_SYMBOL) : NULL;
    if (!symbol) {
        const char *why = dlerror();
        snprintf(parquet_reader.trouble, sizeof parquet_reader.trouble, "%s",
                 why ? why : "it has no such symbol");
        return;
    }
    memcpy(&get, &symbol, sizeof get);
    if (get()->interface == HR_PARQUET_INTERFACE)
        parquet_reader.module = get();
    else
        snprintf(parquet_reader.trouble, sizeof parquet_reader.trouble, "%s is of another version", file);
}

hr_status hr_parquet_load(const hr_parquet_module **out, hr_error *err) {
    pthread_once(&parquet_reader.once, load_module);
    *out = parquet_reader.module;
    if (*out) return HR_OK;
    return hr_fail(err, HR_E_ABSENT,
                   "install Arrow's C++ library where it was when Hedgerow was built, or build it again",
                   "the reader of Parquet files cannot be loaded: %s", parquet_reader.trouble);
}
