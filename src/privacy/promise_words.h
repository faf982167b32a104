/* The words of (epsilon, delta)-differential privacy, for texts that are put together when they are compiled.
 * factor, more: "" or what follows "e^epsilon" and the sentence. */
#ifndef HR_PRIVACY_PROMISE_WORDS_H
#define HR_PRIVACY_PROMISE_WORDS_H

#define HR_PROMISE_WORDS(factor, unit, more)                                                                 \
    "very set of models is at most e^epsilon" factor " times as likely with " unit " as without" more

/* What a method proves: the sentence, and how. */
#define HR_PROMISE_OF_METHOD(unit, how) "E" HR_PROMISE_WORDS("", unit, ", plus delta") how

/* What the rounding of weighted scores adds to the widths of a level's choices. */
#define HR_WEIGHED_SCORES(classes, numbers)                                                                  \
    " Scores of records with weights are rounded: those of a level are wider by " classes " (classes), "     \
    "or " numbers " (numbers)."

#endif
