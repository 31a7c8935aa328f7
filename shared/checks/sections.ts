// Sections of the form of a monitor that is checked, in the order in which they follow the address and the name. A field names its section.
// Data alone, because a browser loads it too.

export const sections = {
  request: 'Request',
  answer: 'What a good answer is',
  schedule: 'How often and from where',
  judging: 'When it counts as down',
} as const

export type Section = keyof typeof sections
