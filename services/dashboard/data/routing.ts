// The page that an address names.
import { type PageName, pagePaths } from '#shared/contracts/session/page-paths.ts'

export interface Place {
  page: PageName
  params: Readonly<Record<string, string>>
}

const patterns = (Object.keys(pagePaths) as PageName[]).map(page => {
  const names = [...pagePaths[page].matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return { page, names, pattern: new RegExp(`^${pagePaths[page].replaceAll(/:\w+/g, '([^/]+)')}$`) }
})

/** Returns the page of a path; null: the path is no page of the dashboard. */
export function placeOf(path: string): Place | null {
  for (const { page, names, pattern } of patterns) {
    const match = pattern.exec(path)
    if (match === null) continue
    try {
      const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]))
      return { page, params }
    } catch {
      return null
    }
  }
  return null
}

export function pathTo(page: PageName, params: Readonly<Record<string, string>> = {}): string {
  return pagePaths[page].replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
