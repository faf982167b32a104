#include "support/layouts.h"

#include "support/check.h"

#include <math.h>

const layout layouts[LAYOUTS] = {
    {HR_ELEMENT_FLOAT64, 8, 0},   {HR_ELEMENT_FLOAT64, -8, 0}, {HR_ELEMENT_FLOAT64, 8, 1},
    {HR_ELEMENT_FLOAT64, 224, 0}, {HR_ELEMENT_FLOAT64, 9, 3},  {HR_ELEMENT_FLOAT64, -24, 0},
    {HR_ELEMENT_FLOAT32, 4, 0},   {HR_ELEMENT_FLOAT32, -4, 0}, {HR_ELEMENT_FLOAT32, 4, 2},
    {HR_ELEMENT_FLOAT32, 12, 0},  {HR_ELEMENT_FLOAT32, -5, 1}, {HR_ELEMENT_UINT16, 2, 0},
    {HR_ELEMENT_UINT16, -2, 0},   {HR_ELEMENT_UINT16, 2, 1},   {HR_ELEMENT_UINT16, 7, 0},
};

static size_t size_of(hr_element element) {
    return element == HR_ELEMENT_FLOAT64 ? 8 : element == HR_ELEMENT_FLOAT32 ? 4 : 2;
}

void put_element(const laid_out *column, size_t row, double value) {
    char *to = (char *)column->array.at + (ptrdiff_t)row * column->array.stride;
    float narrow = (float)value;
    uint16_t code = value >= 0 && value <= UINT16_MAX ? (uint16_t)value : 0;
    const void *from = column->array.element == HR_ELEMENT_FLOAT64   ? (const void *)&value
                       : column->array.element == HR_ELEMENT_FLOAT32 ? (const void *)&narrow
                                                                     : (const void *)&code;
    memcpy(to, from, size_of(column->array.element));
}

laid_out lay_out(const double *values, size_t rows, layout how) {
    const size_t step = (size_t)labs((long)how.stride), span = rows ? (rows - 1) * step : 0;
    char *block = malloc(how.offset + span + size_of(how.element));
    assert_non_null(block);
    laid_out made = {block, {block + how.offset + (how.stride < 0 ? span : 0), how.element, how.stride}};
    for (size_t i = 0; i < rows; i++) put_element(&made, i, values[i]);
    return made;
}
