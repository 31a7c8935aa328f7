// Links of audit rows without a browser.
import t from 'tap'
import { linkOfMade, partsOfPath, wordOfMade } from '../../../services/dashboard/administration/audit-links.ts'

t.test('what a request made is named by a word and linked to its page', async t => {
  const rows: [kind: string, id: string, word: string, link: string | null][] = [
    ['resource', 'aB3dE6gH9k', 'Monitor', '/monitors/aB3dE6gH9k'],
    ['custom_subject', 'queue-api', 'Monitor', '/?q=queue-api'],
    ['template', 'heartbeat@2', 'Template', '/templates/heartbeat'],
    ['template', 'new@2', 'Template', '/templates/new%402'],
    ['destination', 'd1', 'Destination', '/settings/destinations'],
    ['invitation', 'w1.i1', 'Invitation of', '/settings/people'],
    ['key', 'k1', 'Key', null],
    ['of a later version', 'x', 'of a later version', null],
  ]
  for (const [kind, id, word, link] of rows)
    t.strictSame([wordOfMade({ kind, id, name: '' }), linkOfMade({ kind, id, name: '' })], [word, link])
})

t.test('objects in the path of a request are linked, and the text of the path stays', async t => {
  const rows: [path: string, links: string[]][] = [
    ['/api/v3/workspaces/w1/resources/aB3dE6gH9k/archive', ['aB3dE6gH9k /monitors/aB3dE6gH9k']],
    ['/api/v3/workspaces/w1/resources/main/observations', ['main /?q=main']],
    ['/session/v3/workspaces/w1/incidents/I1/acknowledge', ['I1 /incidents/I1']],
    ['/api/v3/workspaces/w1/templates/preview', []],
    ['/api/v3/workspaces/w1/resources', []],
    ['/api/v3/workspaces/w1/resources/%E0', []],
    ['/in/\u2026', []],
    ['/session/v2/subjects/constructor/constructor', ['constructor /?q=constructor']],
  ]
  for (const [path, links] of rows) {
    const parts = partsOfPath(path)
    t.equal(parts.map(({ text }) => text).join(''), path)
    t.strictSame(
      parts.flatMap(({ text, href }) => (href === null ? [] : [`${text} ${href}`])),
      links,
      path,
    )
  }
})
