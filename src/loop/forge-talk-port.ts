/** What is said about a pull request: reviews, conversations about lines, comments. */

/** A review of a pull request, found again by a mark in its text. */
export interface PostedReview {
  readonly id: number
  readonly body: string
}

/** A comment on lines of a pull request's change. */
export interface LineComment {
  readonly path: string
  readonly line: number
  readonly startLine: number | null
  readonly body: string
}

export interface NewReview {
  readonly headSha: string
  readonly body: string
  readonly comments: readonly LineComment[]
  /** A part of the body that no other review has. */
  readonly mark: string
}

export interface ForgeReviews {
  /** The newest review of ours that has the mark. */
  find(number: number, mark: string): Promise<PostedReview | null>
  post(number: number, review: NewReview): Promise<PostedReview>
  edit(number: number, id: number, body: string): Promise<void>
}

/** A conversation about lines of a pull request. */
export interface ReviewThread {
  readonly id: string
  readonly isResolved: boolean
  readonly path: string
  readonly line: number | null
  readonly startLine: number | null
  readonly comments: readonly ThreadComment[]
}

export interface ThreadComment {
  readonly id: number
  readonly author: string
  /** Whether whoever asks wrote it; anybody can copy a mark. */
  readonly isOurs: boolean
  readonly body: string
  readonly url: string
}

export interface ReviewThreads {
  list(number: number): Promise<readonly ReviewThread[]>
  begin(number: number, headSha: string, comment: LineComment): Promise<void>
  /** Replies to the first comment of a thread. */
  reply(number: number, comment: number, body: string): Promise<void>
  edit(comment: number, body: string): Promise<void>
  resolve(thread: string): Promise<void>
}

/** A comment in the conversation of a pull request. */
export interface PullComment {
  readonly id: number
  readonly number: number
  readonly author: string
  readonly body: string
  readonly url: string
  /** ISO 8601. */
  readonly createdAt: string
}

export interface PullComments {
  /** Null when it is not there, or not there any more. */
  get(id: number): Promise<PullComment | null>
  /** Writes a comment, unless one of ours with the mark is there already. */
  post(number: number, comment: { readonly body: string; readonly mark: string }): Promise<PullComment>
  edit(id: number, body: string): Promise<void>
}
