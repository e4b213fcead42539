/** The issues of a fix stand in its address, which must not become too long for the server. */
export const mostAtOnce = 300
