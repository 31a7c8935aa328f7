// Buttons, and links that look like buttons. While a button waits for a response, it cannot be pressed again.
import type { ComponentChildren, JSX } from 'preact'

interface Look {
  /** Look of the button. `main`: the main action of a section. `danger`: the action deletes something or cannot be undone. */
  look?: 'main' | 'danger' | 'quiet' | undefined
  children: ComponentChildren
}

type ButtonProps = Look & {
  isBusy?: boolean
  /** Keyboard shortcut with the same effect, shown beside the words of the button. */
  shortcut?: string
} & Omit<JSX.IntrinsicElements['button'], 'children' | 'class'>

export function Button({ look, isBusy = false, shortcut, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-keyshortcuts={shortcut}
      class="button"
      data-look={look}
      aria-busy={isBusy}
      disabled={isBusy || rest.disabled === true}
    >
      {children}
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  )
}

export function ShowOlder({ what, isBusy, run }: { what: string; isBusy: boolean; run(): void }) {
  return (
    <p class="acts">
      <Button isBusy={isBusy} onClick={run}>
        Show older {what}
      </Button>
    </p>
  )
}

export function ButtonLink({ look, href, children }: Look & { href: string }) {
  return (
    <a class="button" data-look={look} href={href}>
      {children}
    </a>
  )
}
