#include "models/export/onnx_write.h"

#include <stdio.h>
#include <string.h>

/* ---- Protocol buffers ---- */

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void hr_proto_varint(hr_buffer *values, uint64_t value) {
    do {
        uint8_t byte = (uint8_t)(value & 0x7f);
        value >>= 7;
        if (value) byte |= 0x80;
        hr_buffer_add(values, &byte, 1);
    } while (value);
}

static void add_tag(hr_buffer *message, unsigned field, unsigned wire) {
    hr_proto_varint(message, field << 3 | wire);
}

void hr_proto_number(hr_buffer *message, unsigned field, uint64_t value) {
    add_tag(message, field, WIRE_VARINT);
    hr_proto_varint(message, value);
}

void hr_proto_bytes(hr_buffer *message, unsigned field, const void *bytes, size_t size) {
    add_tag(message, field, WIRE_BYTES);
    hr_proto_varint(message, size);
    hr_buffer_add(message, bytes, size);
}

void hr_proto_text(hr_buffer *message, unsigned field, const char *text) {
    hr_proto_bytes(message, field, text, strlen(text));
}

void hr_proto_message(hr_buffer *message, unsigned field, hr_buffer *inner) {
    message->failed |= inner->failed;
    hr_proto_bytes(message, field, inner->bytes, inner->size);
    hr_buffer_done(inner);
}

static void add_little_endian(hr_buffer *values, uint64_t bits, size_t size) {
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    hr_buffer_add(values, bytes, size);
}

void hr_onnx_add_number(hr_buffer *values, hr_onnx_type type, double value) {
    if (type == HR_ONNX_FLOAT) {
        const float nearest = (float)value;
        uint32_t bits;
        memcpy(&bits, &nearest, sizeof bits);
        add_little_endian(values, bits, sizeof bits);
    } else {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        add_little_endian(values, bits, sizeof bits);
    }
}

/* ---- Field numbers of onnx.proto ---- */

enum { GRAPH_NODE = 1, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OPERATOR = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_INTEGER = 2, TYPE_TENSOR = 4, TYPE_INTEGERS = 7 };
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE = 2, TENSOR_TEXT = 6, TENSOR_NAME = 8, TENSOR_BYTES = 9 };
enum {
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    OF_TENSOR = 1,
    ELEMENT_TYPE = 1,
    SHAPE = 2,
    DIMENSION = 1,
    SIZE = 1,
    SYMBOL = 2
};

/* ---- Constants ---- */

static hr_onnx_value name_value(hr_onnx_graph *graph) {
    hr_onnx_value value;
    snprintf(value.name, sizeof value.name, "v%u", graph->names++);
    return value;
}

static size_t element_size(hr_onnx_type type) {
    return type == HR_ONNX_UINT8 ? 1 : type == HR_ONNX_FLOAT ? 4 : 8;
}

static hr_onnx_value end_constant(hr_onnx_graph *graph, hr_buffer *tensor) {
    hr_onnx_value value = name_value(graph);
    hr_proto_text(tensor, TENSOR_NAME, value.name);
    hr_proto_message(&graph->bytes, GRAPH_CONSTANT, tensor);
    return value;
}

/* Of so many dimensions of size 1. */
static hr_onnx_value add_number(hr_onnx_graph *graph, double value, int dimensions) {
    hr_buffer tensor = {0}, bytes = {0};
    for (int i = 0; i < dimensions; i++) hr_proto_number(&tensor, TENSOR_DIMENSION, 1);
    hr_proto_number(&tensor, TENSOR_TYPE, HR_ONNX_DOUBLE);
    hr_onnx_add_number(&bytes, HR_ONNX_DOUBLE, value);
    hr_proto_message(&tensor, TENSOR_BYTES, &bytes);
    return end_constant(graph, &tensor);
}

hr_onnx_value hr_onnx_number(hr_onnx_graph *graph, double value) {
    return add_number(graph, value, 1);
}

hr_onnx_value hr_onnx_integers(hr_onnx_graph *graph, int64_t first, size_t count) {
    hr_buffer tensor = {0}, bytes = {0};
    hr_proto_number(&tensor, TENSOR_DIMENSION, count);
    hr_proto_number(&tensor, TENSOR_TYPE, HR_ONNX_INT64);
    for (size_t i = 0; i < count; i++) add_little_endian(&bytes, (uint64_t)first + i, sizeof(uint64_t));
    hr_proto_message(&tensor, TENSOR_BYTES, &bytes);
    return end_constant(graph, &tensor);
}

hr_onnx_value hr_onnx_texts(hr_onnx_graph *graph, const char *const *values, size_t count) {
    hr_buffer tensor = {0};
    hr_proto_number(&tensor, TENSOR_DIMENSION, count);
    hr_proto_number(&tensor, TENSOR_TYPE, HR_ONNX_TEXT);
    for (size_t i = 0; i < count; i++) hr_proto_text(&tensor, TENSOR_TEXT, values[i]);
    return end_constant(graph, &tensor);
}

/* ---- Operators ---- */

hr_onnx_node hr_onnx_begin(hr_onnx_graph *graph, const char *op, const char *domain) {
    hr_onnx_node node = {.output = name_value(graph)};
    hr_proto_text(&node.bytes, NODE_OUTPUT, node.output.name);
    hr_proto_text(&node.bytes, NODE_OPERATOR, op);
    if (*domain) hr_proto_text(&node.bytes, NODE_DOMAIN, domain);
    return node;
}

void hr_onnx_take(hr_onnx_node *node, hr_onnx_value input) {
    hr_proto_text(&node->bytes, NODE_INPUT, input.name);
}

hr_onnx_value hr_onnx_end(hr_onnx_graph *graph, hr_onnx_node *node) {
    hr_proto_message(&graph->bytes, GRAPH_NODE, &node->bytes);
    return node->output;
}

static void begin_attribute(hr_buffer *attribute, const char *name, uint64_t type) {
    hr_proto_text(attribute, ATTRIBUTE_NAME, name);
    hr_proto_number(attribute, ATTRIBUTE_TYPE, type);
}

void hr_onnx_integer_attribute(hr_onnx_node *node, const char *name, int64_t value) {
    hr_buffer attribute = {0};
    begin_attribute(&attribute, name, TYPE_INTEGER);
    hr_proto_number(&attribute, ATTRIBUTE_INTEGER, (uint64_t)value);
    hr_proto_message(&node->bytes, NODE_ATTRIBUTE, &attribute);
}

void hr_onnx_integers_attribute(hr_onnx_node *node, const char *name, const hr_buffer *varints) {
    hr_buffer attribute = {.failed = varints->failed};
    begin_attribute(&attribute, name, TYPE_INTEGERS);
    hr_proto_bytes(&attribute, ATTRIBUTE_INTEGERS, varints->bytes, varints->size);
    hr_proto_message(&node->bytes, NODE_ATTRIBUTE, &attribute);
}

void hr_onnx_tensor_attribute(hr_onnx_node *node, const char *name, hr_onnx_type type,
                              const hr_buffer *values) {
    hr_buffer attribute = {0}, tensor = {.failed = values->failed};
    hr_proto_number(&tensor, TENSOR_DIMENSION, values->size / element_size(type));
    hr_proto_number(&tensor, TENSOR_TYPE, type);
    hr_proto_bytes(&tensor, TENSOR_BYTES, values->bytes, values->size);
    begin_attribute(&attribute, name, TYPE_TENSOR);
    hr_proto_message(&attribute, ATTRIBUTE_TENSOR, &tensor);
    hr_proto_message(&node->bytes, NODE_ATTRIBUTE, &attribute);
}

hr_onnx_value hr_onnx_of(hr_onnx_graph *graph, const char *op, hr_onnx_value a) {
    hr_onnx_node node = hr_onnx_begin(graph, op, "");
    hr_onnx_take(&node, a);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_of_two(hr_onnx_graph *graph, const char *op, hr_onnx_value a, hr_onnx_value b) {
    hr_onnx_node node = hr_onnx_begin(graph, op, "");
    hr_onnx_take(&node, a);
    hr_onnx_take(&node, b);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_with(hr_onnx_graph *graph, const char *op, hr_onnx_value a, double constant) {
    return hr_onnx_of_two(graph, op, a, hr_onnx_number(graph, constant));
}

hr_onnx_value hr_onnx_less(hr_onnx_graph *graph, double a, hr_onnx_value value) {
    return hr_onnx_of_two(graph, "Sub", hr_onnx_number(graph, a), value);
}

hr_onnx_value hr_onnx_line(hr_onnx_graph *graph, hr_onnx_value x, double a, double b) {
    hr_onnx_value slope = add_number(graph, a, 2), intercept = add_number(graph, b, 1);
    hr_onnx_node node = hr_onnx_begin(graph, "Gemm", "");
    hr_onnx_take(&node, x);
    hr_onnx_take(&node, slope);
    hr_onnx_take(&node, intercept);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_where(hr_onnx_graph *graph, hr_onnx_value condition, hr_onnx_value yes,
                            hr_onnx_value no) {
    hr_onnx_node node = hr_onnx_begin(graph, "Where", "");
    hr_onnx_take(&node, condition);
    hr_onnx_take(&node, yes);
    hr_onnx_take(&node, no);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_reduce(hr_onnx_graph *graph, const char *op, hr_onnx_value table) {
    return hr_onnx_of_two(graph, op, table, hr_onnx_integers(graph, 1, 1));
}

hr_onnx_value hr_onnx_largest(hr_onnx_graph *graph, hr_onnx_value table) {
    hr_onnx_node node = hr_onnx_begin(graph, "ArgMax", "");
    hr_onnx_take(&node, table);
    hr_onnx_integer_attribute(&node, "axis", 1);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_column(hr_onnx_graph *graph, hr_onnx_value table, size_t column) {
    hr_onnx_value index = hr_onnx_integers(graph, (int64_t)column, 1);
    hr_onnx_node node = hr_onnx_begin(graph, "Gather", "");
    hr_onnx_take(&node, table);
    hr_onnx_take(&node, index);
    hr_onnx_integer_attribute(&node, "axis", 1);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_cast(hr_onnx_graph *graph, hr_onnx_value value, hr_onnx_type type) {
    hr_onnx_node node = hr_onnx_begin(graph, "Cast", "");
    hr_onnx_take(&node, value);
    hr_onnx_integer_attribute(&node, "to", type);
    return hr_onnx_end(graph, &node);
}

hr_onnx_value hr_onnx_list(hr_onnx_graph *graph, hr_onnx_value column) {
    return hr_onnx_of_two(graph, "Squeeze", column, hr_onnx_integers(graph, 1, 1));
}

hr_onnx_value hr_onnx_beside(hr_onnx_graph *graph, hr_onnx_value a, hr_onnx_value b) {
    hr_onnx_node node = hr_onnx_begin(graph, "Concat", "");
    hr_onnx_take(&node, a);
    hr_onnx_take(&node, b);
    hr_onnx_integer_attribute(&node, "axis", 1);
    return hr_onnx_end(graph, &node);
}

/* TopK has two outputs: the numbers, and where they stood. */
hr_onnx_value hr_onnx_sorted(hr_onnx_graph *graph, hr_onnx_value table, size_t columns) {
    hr_onnx_value all = hr_onnx_integers(graph, (int64_t)columns, 1);
    hr_onnx_node node = hr_onnx_begin(graph, "TopK", "");
    hr_proto_text(&node.bytes, NODE_OUTPUT, name_value(graph).name);
    hr_onnx_take(&node, table);
    hr_onnx_take(&node, all);
    hr_onnx_integer_attribute(&node, "axis", 1);
    hr_onnx_integer_attribute(&node, "largest", 0);
    hr_onnx_integer_attribute(&node, "sorted", 1);
    return hr_onnx_end(graph, &node);
}

/* ---- Inputs and outputs ---- */

static void add_value_info(hr_onnx_graph *graph, unsigned field, const char *name, hr_onnx_type type,
                           size_t columns) {
    hr_buffer value = {0}, kind = {0}, tensor = {0}, shape = {0}, rows = {0}, width = {0};
    hr_proto_text(&rows, SYMBOL, "records");
    hr_proto_message(&shape, DIMENSION, &rows);
    if (columns) {
        hr_proto_number(&width, SIZE, columns);
        hr_proto_message(&shape, DIMENSION, &width);
    }
    hr_proto_number(&tensor, ELEMENT_TYPE, type);
    hr_proto_message(&tensor, SHAPE, &shape);
    hr_proto_message(&kind, OF_TENSOR, &tensor);
    hr_proto_text(&value, VALUE_NAME, name);
    hr_proto_message(&value, VALUE_TYPE, &kind);
    hr_proto_message(&graph->bytes, field, &value);
}

void hr_onnx_output(hr_onnx_graph *graph, hr_onnx_value value, const char *name, hr_onnx_type type,
                    size_t columns) {
    hr_buffer node = {0};
    hr_proto_text(&node, NODE_INPUT, value.name);
    hr_proto_text(&node, NODE_OUTPUT, name);
    hr_proto_text(&node, NODE_OPERATOR, "Identity");
    hr_proto_message(&graph->bytes, GRAPH_NODE, &node);
    add_value_info(graph, GRAPH_OUTPUT, name, type, columns);
}

hr_onnx_value hr_onnx_input(hr_onnx_graph *graph, const char *name, hr_onnx_type type, size_t columns) {
    hr_onnx_value value;
    add_value_info(graph, GRAPH_INPUT, name, type, columns);
    snprintf(value.name, sizeof value.name, "%s", name);
    return value;
}
