/* ONNX graphs, written as they grow: a graph is a row of bytes (protocol buffers, the messages of onnx.proto)
 * to which every value adds its operator or its constant. Numbers have 64 bits but where a type has 32. */
#ifndef HR_MODELS_EXPORT_ONNX_WRITE_H
#define HR_MODELS_EXPORT_ONNX_WRITE_H

#include "base/buffer.h"

#include <stdint.h>

/* ---- Protocol buffers ---- */

void hr_proto_number(hr_buffer *message, unsigned field, uint64_t value);
void hr_proto_bytes(hr_buffer *message, unsigned field, const void *bytes, size_t size);
void hr_proto_text(hr_buffer *message, unsigned field, const char *text);
/* Adds the inner message and frees it. */
void hr_proto_message(hr_buffer *message, unsigned field, hr_buffer *inner);

/* ---- Graphs ---- */

typedef struct hr_onnx_graph {
    hr_buffer bytes; /* a GraphProto */
    unsigned names;
} hr_onnx_graph;

/* A value of the graph. */
typedef struct hr_onnx_value {
    char name[24];
} hr_onnx_value;

hr_onnx_value hr_onnx_number(hr_onnx_graph *graph, double value);
/* first, first + 1, ... */
hr_onnx_value hr_onnx_integers(hr_onnx_graph *graph, int64_t first, size_t count);
hr_onnx_value hr_onnx_texts(hr_onnx_graph *graph, const char *const *values, size_t count);

/* The operator of one value, or of two. */
hr_onnx_value hr_onnx_of(hr_onnx_graph *graph, const char *op, hr_onnx_value a);
hr_onnx_value hr_onnx_of_two(hr_onnx_graph *graph, const char *op, hr_onnx_value a, hr_onnx_value b);
/* The operator of a value and a constant. */
hr_onnx_value hr_onnx_with(hr_onnx_graph *graph, const char *op, hr_onnx_value a, double constant);
/* a x + b of a table x of one column. Constants that records or owners chose are written in no other way:
 * ONNX Runtime leaves out additions of what is nearly 0 and multiplications by what is nearly 1. */
hr_onnx_value hr_onnx_line(hr_onnx_graph *graph, hr_onnx_value x, double a, double b);
/* a - value. */
hr_onnx_value hr_onnx_less(hr_onnx_graph *graph, double a, hr_onnx_value value);
hr_onnx_value hr_onnx_where(hr_onnx_graph *graph, hr_onnx_value condition, hr_onnx_value yes,
                            hr_onnx_value no);

/* Of a table: ReduceSum or ReduceMax over its columns; the index of the largest, of equals the first; one of
 * its columns. Each is a table of one column. Then two side by side, and a table of one column as a list. */
hr_onnx_value hr_onnx_reduce(hr_onnx_graph *graph, const char *op, hr_onnx_value table);
hr_onnx_value hr_onnx_largest(hr_onnx_graph *graph, hr_onnx_value table);
hr_onnx_value hr_onnx_column(hr_onnx_graph *graph, hr_onnx_value table, size_t column);
hr_onnx_value hr_onnx_beside(hr_onnx_graph *graph, hr_onnx_value a, hr_onnx_value b);
hr_onnx_value hr_onnx_list(hr_onnx_graph *graph, hr_onnx_value column);
/* The same table of so many columns, each row in increasing order. */
hr_onnx_value hr_onnx_sorted(hr_onnx_graph *graph, hr_onnx_value table, size_t columns);

/* TensorProto.DataType */
typedef enum hr_onnx_type {
    HR_ONNX_FLOAT = 1,
    HR_ONNX_UINT8 = 2,
    HR_ONNX_INT64 = 7,
    HR_ONNX_TEXT = 8,
    HR_ONNX_DOUBLE = 11
} hr_onnx_type;

/* Names a value as an output of the graph: a record a row, and so many columns; 0: one value a record. */
void hr_onnx_output(hr_onnx_graph *graph, hr_onnx_value value, const char *name, hr_onnx_type type,
                    size_t columns);
/* The table of records that the graph takes. */
hr_onnx_value hr_onnx_input(hr_onnx_graph *graph, const char *name, hr_onnx_type type, size_t columns);
/* The same numbers as another type. */
hr_onnx_value hr_onnx_cast(hr_onnx_graph *graph, hr_onnx_value value, hr_onnx_type type);

/* ---- Nodes with attributes: begin one, add attributes, end it ---- */

typedef struct hr_onnx_node {
    hr_buffer bytes; /* a NodeProto */
    hr_onnx_value output;
} hr_onnx_node;

hr_onnx_node hr_onnx_begin(hr_onnx_graph *graph, const char *op, const char *domain);
void hr_onnx_take(hr_onnx_node *node, hr_onnx_value input);
void hr_onnx_integer_attribute(hr_onnx_node *node, const char *name, int64_t value);
/* The bytes are those of hr_proto_varint, one after the other. */
void hr_onnx_integers_attribute(hr_onnx_node *node, const char *name, const hr_buffer *varints);
/* The bytes are `count` values of the type. */
void hr_onnx_tensor_attribute(hr_onnx_node *node, const char *name, hr_onnx_type type,
                              const hr_buffer *values);
hr_onnx_value hr_onnx_end(hr_onnx_graph *graph, hr_onnx_node *node);

/* Adds a value of an attribute. */
void hr_proto_varint(hr_buffer *values, uint64_t value);
/* As HR_ONNX_DOUBLE, or as HR_ONNX_FLOAT. */
void hr_onnx_add_number(hr_buffer *values, hr_onnx_type type, double value);

#endif
