library(testthat)
library(hedgerow)

test_check("hedgerow")
