// SPDX-License-Identifier: Apache-2.0

/** What a streamer returns: whether generation goes on. */
export enum StreamingStatus {
  /** Generation goes on. */
  RUNNING = 0,
  /** Generation stops. The text so far stays in the chat. */
  STOP = 1,
  /** Generation stops. A chat forgets the turn. */
  CANCEL = 2,
  /** Generation stops because a tool call is complete. The finish reason is TOOL_CALL. */
  TOOL_CALL_STOP = 3,
}

/** Why a sequence ended. */
export enum GenerationFinishReason {
  /** It did not end by itself: the streamer cancelled it. */
  NONE = 0,
  /** A stop token, a stop string or the streamer ended it. */
  STOP = 1,
  /** It reached max_new_tokens or max_length. */
  LENGTH = 2,
  /** The streamer returned TOOL_CALL_STOP. */
  TOOL_CALL = 3,
}

/** When beam search ends. */
export enum StopCriteria {
  /** As soon as a group has as many finished beams as it has beams. */
  EARLY = 0,
  /** When better beams are unlikely. */
  HEURISTIC = 1,
  /** When there cannot be better beams. */
  NEVER = 2,
}

/** How an embedding is made from the embeddings of the tokens. */
export enum PoolingType {
  /** The embedding of the first token. */
  CLS = 0,
  /** The mean of all tokens. */
  MEAN = 1,
  /** The embedding of the last token. */
  LAST_TOKEN = 2,
}
