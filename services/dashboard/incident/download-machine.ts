// Download of the machine of incidents in a form that other tools read. Loaded at the click.
import { read, sentenceOf } from '../data/api.ts'
import { announce } from '../parts/announce.ts'

/** `form`: `source`, `json` or `mermaid`. */
export async function downloadMachine(form: string): Promise<void> {
  try {
    const { name, text } = await read<{ name: string; text: string }>(`/session/machines/incident/${form}`)
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: name })
    link.click()
    URL.revokeObjectURL(url)
  } catch (error) {
    announce(sentenceOf(error), { isRefusal: true })
  }
}
