#ifndef AMGSOLVE_EXPORT_H
#define AMGSOLVE_EXPORT_H

#if defined(__GNUC__)
#define AMGSOLVE_EXPORT __attribute__((visibility("default")))
#else
#define AMGSOLVE_EXPORT
#endif

#endif
