// Button that copies a text and announces the copy.
import { announce } from './announce.ts'
import { Button } from './button.tsx'

/** `noun`: name of the copied thing, as in "Link copied." */
export function Copy({ text, noun, words = `Copy ${noun.toLowerCase()}` }: { text: string; noun: string; words?: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      announce(`${noun} copied.`)
    } catch {
      announce(`The browser did not allow copying. ${noun}: ${text}`, { isRefusal: true })
    }
  }
  return (
    <Button look="quiet" onClick={() => void copy()}>
      {words}
    </Button>
  )
}
