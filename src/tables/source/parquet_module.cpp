// Parquet by Arrow's C++ library, behind functions of C.
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

extern "C" {
#include "tables/source/parquet_module.h"
}

// Members are freed from the last to the first: nothing outlives the pool.
struct hr_parquet_file {
    std::unique_ptr<arrow::CappedMemoryPool> pool;
    std::unique_ptr<parquet::arrow::FileReader> reader;
    std::unique_ptr<arrow::RecordBatchReader> rows;
};

namespace {

constexpr int64_t batch_rows = 4096, stream_bytes = 64 * 1024;

// One line.
void write_message(const char *text, char *message) {
    std::snprintf(message, HR_PARQUET_MESSAGE, "%s", text);
    for (char *at = message; *at; at++)
        if (static_cast<unsigned char>(*at) < ' ') *at = ' ';
}

hr_parquet_result result_of(const arrow::Status &status, char *message) {
    if (status.ok()) return HR_PARQUET_DONE;
    write_message(status.message().c_str(), message);
    if (status.IsOutOfMemory()) return HR_PARQUET_LARGE;
    return status.IsNotImplemented() ? HR_PARQUET_UNSUPPORTED : HR_PARQUET_DAMAGED;
}

// Does work that returns a Status, and lets no exception pass.
template <class Work> hr_parquet_result guarded(char *message, Work work) noexcept {
    try {
        return result_of(work(), message);
    } catch (const parquet::ParquetStatusException &e) {
        return result_of(e.status(), message);
    } catch (const std::bad_alloc &) {
        write_message("out of memory", message);
        return HR_PARQUET_MEMORY;
    } catch (const std::exception &e) {
        write_message(e.what(), message);
    } catch (...) {
        write_message("it cannot be read", message);
    }
    return HR_PARQUET_DAMAGED;
}

// Closes the descriptor unless it was given on.
struct owned_descriptor {
    int number;
    ~owned_descriptor() {
        if (number >= 0) close(number);
    }
};

arrow::Status open_reader(owned_descriptor *descriptor, int64_t memory, hr_parquet_file *file) {
    file->pool = std::make_unique<arrow::CappedMemoryPool>(arrow::system_memory_pool(), memory);
    const int given = std::exchange(descriptor->number, -1);
    ARROW_ASSIGN_OR_RAISE(auto source, arrow::io::ReadableFile::Open(given, file->pool.get()));
    parquet::ReaderProperties properties(file->pool.get());
    properties.enable_buffered_stream();
    properties.set_buffer_size(stream_bytes);
    properties.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties rows(false);
    rows.set_batch_size(batch_rows);
    rows.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(source, properties));
    builder.memory_pool(file->pool.get());
    builder.properties(rows);
    ARROW_ASSIGN_OR_RAISE(file->reader, builder.Build());
    return arrow::Status::OK();
}

// Of columns at the top, none of which has parts, where their values are.
std::vector<int> leaves_of(const parquet::SchemaDescriptor &schema, const int *columns, size_t count) {
    std::vector<int> at(schema.group_node()->field_count(), -1), leaves;
    for (int leaf = 0; leaf < schema.num_columns(); leaf++) {
        const int column = schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf));
        if (column >= 0 && at[column] < 0) at[column] = leaf;
    }
    for (size_t i = 0; i < count; i++) leaves.push_back(at.at(columns[i]));
    return leaves;
}

extern "C" {

void close_file(hr_parquet_file *file) {
    delete file;
}

hr_parquet_result open_file(int descriptor, int64_t memory, hr_parquet_file **out, char *message) {
    owned_descriptor own{descriptor};
    std::unique_ptr<hr_parquet_file> file(new (std::nothrow) hr_parquet_file);
    if (!file) return HR_PARQUET_MEMORY;
    const hr_parquet_result result =
        guarded(message, [&] { return open_reader(&own, memory, file.get()); });
    if (result == HR_PARQUET_DONE) *out = file.release();
    return result;
}

hr_parquet_result get_schema(hr_parquet_file *file, struct ArrowSchema *out, char *message) {
    return guarded(message, [&] {
        std::shared_ptr<arrow::Schema> schema;
        ARROW_RETURN_NOT_OK(file->reader->GetSchema(&schema));
        return arrow::ExportSchema(*schema, out);
    });
}

size_t count_groups(const hr_parquet_file *file) {
    const int groups = file->reader->num_row_groups();
    return groups < 0 ? 0 : static_cast<size_t>(groups);
}

int64_t count_rows(const hr_parquet_file *file, size_t group) {
    try {
        return file->reader->parquet_reader()->metadata()->RowGroup(static_cast<int>(group))->num_rows();
    } catch (...) {
        return -1;
    }
}

hr_parquet_result start_group(hr_parquet_file *file, size_t group, const int *columns, size_t count,
                              char *message) {
    return guarded(message, [&] {
        file->rows.reset();
        const auto leaves = leaves_of(*file->reader->parquet_reader()->metadata()->schema(), columns, count);
        ARROW_ASSIGN_OR_RAISE(file->rows,
                              file->reader->GetRecordBatchReader({static_cast<int>(group)}, leaves));
        return arrow::Status::OK();
    });
}

hr_parquet_result next_rows(hr_parquet_file *file, struct ArrowArray *out, char *message) {
    out->release = nullptr;
    return guarded(message, [&] {
        std::shared_ptr<arrow::RecordBatch> batch;
        ARROW_RETURN_NOT_OK(file->rows->ReadNext(&batch));
        if (!batch) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(batch->ValidateFull());
        return arrow::ExportRecordBatch(*batch, out);
    });
}

} // extern "C"

const hr_parquet_module module = {HR_PARQUET_INTERFACE, "Arrow " ARROW_VERSION_STRING,
                                  open_file,            get_schema,
                                  count_groups,         count_rows,
                                  start_group,          next_rows,
                                  close_file};

} // namespace

extern "C" __attribute__((visibility("default"))) const hr_parquet_module *hr_parquet_module_of(void);

extern "C" const hr_parquet_module *hr_parquet_module_of(void) {
    return &module;
}
