// Texts of a drawn machine and their sizes. Widths are estimated by the number of characters, so no browser is needed.
import type { GraphState } from './graph.ts'

/** Font size in pixels, mean width of a character as a share of the font size, and line height in pixels, as in the dashboard's styles. */
const fonts = {
  title: { size: 15, share: 0.66, line: 20 },
  about: { size: 11, share: 0.57, line: 15 },
  event: { size: 11, share: 0.605, line: 16 },
} as const

const padding = { x: 14, y: 11 }
/** Width of a mark in pixels. Marks stand beside the title of a state, and before an event that does not change the state. */
const markPx = 16
/** Height in pixels of the running deadline at the bottom of each open state. */
const deadlinePx = 20
const charactersInLine = 20
const stateMinPx = 100
const frameMinPx = 120
const frameTitlePx = 16

const widthOf = (text: string, { size, share }: { size: number; share: number }) => Math.ceil(text.length * size * share)

const words = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

export const titleOf = (state: string): string => words(state).replace(/^./, first => first.toUpperCase())

export function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= charactersInLine) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

interface Size {
  width: number
  height: number
}

export const sizeOfLabel = (events: readonly string[]): Size => ({
  width: Math.max(...events.map(event => widthOf(event, fonts.event))) + padding.x,
  height: events.length * fonts.event.line + 6,
})

export function sizeOfState({ id, description, isFinal }: GraphState): Size {
  const about = wrapped(description)
  const title = widthOf(titleOf(id), fonts.title) + markPx
  return {
    width: Math.max(stateMinPx, ...[title, ...about.map(line => widthOf(line, fonts.about))].map(width => width + 2 * padding.x)),
    height: 2 * padding.y + fonts.title.line + about.length * fonts.about.line + (isFinal ? 0 : deadlinePx),
  }
}

export function sizeOfFrame(stays: readonly string[]): Size {
  return {
    width: Math.max(frameMinPx, ...stays.map(event => widthOf(event, fonts.event) + 2 * padding.x + markPx)),
    height: 2 * padding.y + frameTitlePx + stays.length * fonts.event.line,
  }
}
