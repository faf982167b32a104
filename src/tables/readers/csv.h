/* CSV tables. */
#ifndef HR_TABLES_READERS_CSV_H
#define HR_TABLES_READERS_CSV_H

#include "tables/readers/reading.h"

/* Adds the records of a source, read from its beginning. Fails as hr_data_read does, without the file's
 * name. */
HR_MUST_CHECK hr_status hr_csv_read(hr_reading *reading, hr_byte_source *source, hr_error *err);

#endif
