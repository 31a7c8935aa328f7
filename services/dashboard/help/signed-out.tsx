// Dialog that says that the session has ended. The dialog's link leads to the sign-in page, which leads back to the same view.
import { address } from '../data/router.ts'
import { Dialog } from '../parts/form/dialog.tsx'

export function SignedOutDialog() {
  return (
    <Dialog title="You are signed out" onClose={() => {}}>
      <p>The session ended: it expired, or it was ended elsewhere. Nothing more arrives here.</p>
      <p class="acts">
        <a class="button" data-look="main" href={`/sign-in?return_to=${encodeURIComponent(address.value)}`}>
          Sign in and come back
        </a>
      </p>
    </Dialog>
  )
}
