import type { PersonRole } from '../../model/people/person.ts'

/** Who may ask for something, and which repositories the answer can be about. */
export type EndpointAccess =
  /** Anybody who reaches the server: nothing of a repository is shown or changed, or something else proves who asks. */
  | 'anyone'
  | {
      /** The least role. */
      readonly role: PersonRole
      /**
       * `named`: only repositories that the request names, by their id or by that of something in them; the door
       * looks. `filtered`: the handler leaves out what the caller may not see. `home`: all of the server, which is
       * nothing for people who may see only some repositories.
       */
      readonly reach: 'named' | 'filtered' | 'home'
    }
