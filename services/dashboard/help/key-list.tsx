// Dialog that lists the keyboard shortcuts of the present page.
import { Dialog } from '../parts/form/dialog.tsx'
import { keySets } from '../parts/keys/keys.ts'
import { addPageStyle } from '../parts/page-style.ts'
import style from './key-list.page.css'

addPageStyle(style)

export function KeyList({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="facts keys">
        {[...keySets.value]
          .reverse()
          .flat()
          .map(({ key, words }) => (
            <>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{words}</dd>
            </>
          ))}
        <dt>
          <kbd>Ctrl K</kbd>
        </dt>
        <dd>All commands, pages and monitors</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>Open what has the focus</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Close a dialog, leave a field</dd>
      </dl>
    </Dialog>
  )
}
