// A modal dialog, made with the browser's `dialog` element: the focus stays inside, and Escape closes the dialog. The focus then returns to
// the element that had the focus before.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { addPageStyle } from '../page-style.ts'
import style from './form.page.css'

addPageStyle(style)

interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
}

/** The dialog is open while this component is drawn. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      // Returns the focus to the element that opened the dialog. If the dialog's action has removed this element, the focus moves to the
      // page.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main')
      back?.focus()
    }
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
