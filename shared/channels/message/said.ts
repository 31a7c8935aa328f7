// The text of a message for services that take one text. Pure.
import type { MessageLines } from './lines.ts'

/** Returns the lines below the title, the plain address last. */
export const textBelow = ({ lines, link }: MessageLines): string => [...lines.map(({ text }) => text), link].join('\n')

export const wholeText = (said: MessageLines): string => `${said.title}\n${textBelow(said)}`

export const bytes = (text: string): number => Buffer.byteLength(text)
