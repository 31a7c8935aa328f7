// Brings the first refusal of a form into view.

/** Unfolds the section of the first field with a refusal, and moves the focus to this field, as soon as the refusals are drawn. */
export function showRefusal(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    const refused = form.querySelector<HTMLElement>('[aria-invalid], .form-refusal')
    const folded = refused?.closest('details')
    if (folded) folded.open = true
    refused?.focus()
  })
}
