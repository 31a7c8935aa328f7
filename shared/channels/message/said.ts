// The text of a message for services that take one text. Pure.
import type { MessageLines } from './lines.ts'

/** Returns the lines below the title, the plain addresses last. */
export const textBelow = (said: MessageLines): string =>
  [...said.lines.map(({ text }) => text), said.link, ...acknowledgeLines(said)].join('\n')

export const acknowledgeWord = 'Acknowledge'

/** Returns the lines about the acknowledge link; none if there is no such link. */
export const acknowledgeLines = ({ acknowledge }: MessageLines): string[] =>
  acknowledge === undefined ? [] : [`${acknowledgeWord}:`, acknowledge]

export const wholeText = (said: MessageLines): string => `${said.title}\n${textBelow(said)}`

export const bytes = (text: string): number => Buffer.byteLength(text)
