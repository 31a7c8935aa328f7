// Answers of a website monitor as those of the Template with all options, so that it is checked and judged as before. Pure. Reference:
// docs/reference/v3.md, 6.14.
import type { CheckUpgrade } from '../check-kind.ts'
import type { WebsiteAnswers } from '../website/fields.ts'
import { websiteTemplate } from '../website/website-template.ts'
import type { HttpOptions } from './fields.ts'

export const fromWebsite: CheckUpgrade = {
  from: websiteTemplate,
  answers: check => {
    const { url, method, content_type, data, statuses, expected_text } = check as unknown as WebsiteAnswers
    const { address, username, password } = withoutUser(url)
    const options: HttpOptions = {
      ...{ url: address, method, content_type, contains: expected_text, redirects: 0 },
      statuses: statuses.map(String),
      ...(data === '' ? {} : { body: data }),
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
    }
    return { ...options }
  },
}

/** Returns the address without its user information, which is percent-decoded. A part that cannot be decoded stays as it is. */
function withoutUser(address: string): { address: string; username: string; password: string } {
  const url = URL.parse(address)
  if (url === null || (url.username === '' && url.password === '')) return { address, username: '', password: '' }
  const [username, password] = [url.username, url.password].map(decoded) as [string, string]
  url.username = ''
  url.password = ''
  return { address: url.href, username, password }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
