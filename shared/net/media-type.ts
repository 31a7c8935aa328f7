// Media types of HTTP (RFC 9110, 8.3.1), with parameters. Pure.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = `[ \\t]*;[ \\t]*${token}=(?:${token}|"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*")`
const form = new RegExp(`^${token}/${token}(?:${parameter})*$`)

export const isMediaType = (text: string): boolean => form.test(text)
