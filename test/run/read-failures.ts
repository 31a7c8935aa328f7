// Finds the failures in the output of a lane.

/** Most lines of the description of a failure that are shown. */
const linesMost = 40

/**
 * Returns a function that reads the output of a lane, in the format TAP, line by line. It calls `show` once for each failure with the path of
 * its titles, and then for each line of its description. A test that failed because something within it failed is not shown itself.
 */
export function createFailureReader(show: (line: string) => void): (line: string) => void {
  /** Titles of the tests that are being read, outermost first. */
  let titles: string[] = []
  /** By depth: whether a failure within the test that is being read at this depth was shown. */
  const wasShown: boolean[] = []
  let description: 'none' | 'awaited' | 'read' = 'none'
  let lines = 0
  return line => {
    const [, indent = '', text = ''] = /^( *)(.*)$/.exec(line) ?? []
    if (description === 'read') {
      if (text === '...') description = 'none'
      else if (lines++ < linesMost) show(line.trimEnd())
      return
    }
    if (description === 'awaited' && text === '---') {
      description = 'read'
      lines = 0
      return
    }
    description = 'none'
    const depth = indent.length / 4
    const [, title] = /^# Subtest: (.*)/.exec(text) ?? []
    if (title !== undefined) {
      titles = [...titles.slice(0, depth), title]
      wasShown[depth] = false
    }
    const [, verdict, name = ''] = /^(not ok|ok) \d+(?: - )?(.*)/.exec(text) ?? []
    if (verdict === 'not ok' && !wasShown[depth]) {
      show(`FAILED ${[...titles.slice(0, depth), name.replace(/ # time=.*/, '')].join(' > ')}`)
      description = 'awaited'
      wasShown.fill(true, 0, depth)
    }
    if (verdict !== undefined) wasShown[depth] = false
  }
}
