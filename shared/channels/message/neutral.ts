// Text from outside, made safe for chat services: it cannot mention people, format, or hide an address behind words. Pure.
import type { Guard } from './words.ts'

/** Characters that turn the direction of writing, hide, or are private: slots of a request are marked by such ones. */
const clean: Guard = text => text.toWellFormed().replace(/[\p{Co}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')

/** Services take a word behind one of these for a mention or a link. An invisible character between them ends that. */
const unmentioned: Guard = text => text.replace(/[@<]/g, '$&\u200b')

/** Returns a guard that cleans the text, and then applies the others in turn. */
const inTurn =
  (...guards: readonly Guard[]): Guard =>
  text =>
    guards.reduce((safe, guard) => guard(safe), clean(text))

const escaped =
  (marks: RegExp): Guard =>
  text =>
    text.replace(marks, '\\$&').replaceAll('`', "'")

const markdown = escaped(/[\\*_~|#>[\]!]/g)

export const plainText: Guard = inTurn()
export const withoutMentions: Guard = inTurn(unmentioned)
export const withoutMarkdown: Guard = inTurn(escaped(/[\\*_~|#>[\]!<]/g))
export const withoutMarkdownOrMentions: Guard = inTurn(markdown, unmentioned)
/** For Adaptive Cards, which read some Markdown and entities. */
export const withoutCardMarks: Guard = inTurn(
  text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  text => text.replace(/[\\*_[\]]/g, '\\$&'),
)
