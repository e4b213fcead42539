import type { JailState } from '../../loop/ports.ts'
import type { Sandbox } from '../../model/config/written.ts'
import type { Missing, Probe } from './probe.ts'

const unprotected = 'agents and checks run with your rights'

const reasons: Readonly<Record<Missing, { readonly why: string; readonly remedy: string }>> = {
  other_system: {
    why: 'there is one on Linux only',
    remedy: 'run Fixpoint on Linux, in a container or virtual machine of its own',
  },
  not_installed: {
    why: 'bubblewrap is not installed',
    remedy: 'sudo apt-get install -y bubblewrap (or dnf, apk, pacman: the package has that name everywhere)',
  },
  namespaces_restricted: {
    why: 'AppArmor keeps user namespaces from bubblewrap',
    remedy: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  },
  namespaces_forbidden: {
    why: 'user namespaces are not allowed here',
    remedy:
      'sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that allows them and an unmasked /proc (docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined)',
  },
  broken: {
    why: 'bubblewrap does not work here',
    remedy: 'bwrap --unshare-all --ro-bind / / true shows why',
  },
}

/** What the person is told. */
export function describeProbe(probe: Probe | null, mode: Sandbox): JailState {
  if (mode === 'off' || probe === null)
    return { isThere: false, text: `no jail: sandbox is off; ${unprotected}`, remedy: null }
  if (probe.found)
    return {
      isThere: true,
      text: `jail: bubblewrap ${probe.version}${probe.can.seccomp ? '' : ', without a filter of system calls'}`,
      remedy: null,
    }
  const { why, remedy } = reasons[probe.why]
  const said = probe.said === '' || probe.why === 'other_system' ? '' : ` (${firstLine(probe.said)})`
  return { isThere: false, text: `no jail: ${why}${said}; ${unprotected}`, remedy }
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 200)
