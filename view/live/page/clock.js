// The time that is shown: it stands, runs with a speed, or follows a run that goes on.

export const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** How far behind the newest sample a run is followed, seconds: samples that come in pieces are shown evenly. */
const BEHIND_S = 0.3;

export class Clock {
  /** `stands`: the run's own clock may stand still, and then all there is to see is shown. */
  constructor(stands = false) {
    this.behind = stands ? 0 : BEHIND_S;
    this.time = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.isFollowing = false;
  }

  /** Moves on; `end` is the newest there is to see, and `growing` says whether more will come. */
  tick(elapsed, end, growing) {
    if (this.isFollowing) {
      const goal = growing ? Math.max(0, end - this.behind) : end;
      const gap = goal - this.time;
      // Catches up gently, and at once when it is far behind.
      this.time = gap > 3 || gap < 0 ? goal : Math.min(goal, this.time + elapsed * (1 + gap));
      if (!growing && this.time >= end) this.isFollowing = false;
    } else if (this.isPlaying) {
      this.time = Math.min(end, this.time + elapsed * this.speed);
      if (this.time >= end && !growing) this.isPlaying = false;
    }
  }

  go(time, end) {
    this.time = Math.max(0, Math.min(time, end));
    this.isFollowing = false;
  }

  toggle(end) {
    if (this.isFollowing) {
      this.isFollowing = false;
      this.isPlaying = false;
      return;
    }
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.time >= end - 1e-6) this.time = 0;
  }

  follow() {
    this.isFollowing = true;
    this.isPlaying = false;
  }

  faster(step) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + step))];
  }
}
