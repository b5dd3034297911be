//! How long nothing came, counting the time that the machine slept: timers stand still then, servers don't.
//! It reads clocks; what a silence means is decided by whoever waits.

use std::time::Duration;

use tokio::time::Instant;

/// A silent stream looks at least this often whether the machine slept.
const LOOK: Duration = Duration::from_secs(5);

/// A time limit that runs on while the machine sleeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// When it is over, if the machine stays awake.
    deadline: Instant,
    /// The clocks when it was set.
    since: Clocks,
}

/// Two clocks at one moment: the first counts sleep, the second doesn't.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    always: Duration,
    awake: std::time::Instant,
}

impl Limit {
    /// Over after `time`.
    pub fn after(time: Duration) -> Self {
        Self { deadline: Instant::now() + time, since: Clocks::now() }
    }

    /// When it is over, if the machine stays awake.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// When to look next; none: it is over.
    pub fn next_look(&self) -> Option<Instant> {
        next_look(Instant::now(), self.since.slept(), self.deadline)
    }

    /// Resolves when it is over.
    pub async fn over(self) {
        while let Some(look) = self.next_look() {
            tokio::time::sleep_until(look).await;
        }
    }
}

fn next_look(now: Instant, slept: Duration, deadline: Instant) -> Option<Instant> {
    let left = deadline.checked_duration_since(now)?.checked_sub(slept)?;
    Some(now + left.min(LOOK)).filter(|_| !left.is_zero())
}

impl Clocks {
    fn now() -> Self {
        Self { always: always(), awake: std::time::Instant::now() }
    }

    /// How long the machine slept since.
    fn slept(&self) -> Duration {
        always().saturating_sub(self.always).saturating_sub(self.awake.elapsed())
    }
}

/// A clock that counts sleep. Elsewhere the timers count it themselves.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn always() -> Duration {
    clock(rustix::time::ClockId::Boottime)
}

/// On Apple's systems this clock counts sleep, and the one of timers doesn't.
#[cfg(target_vendor = "apple")]
fn always() -> Duration {
    clock(rustix::time::ClockId::Monotonic)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn always() -> Duration {
    Duration::ZERO
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn clock(id: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(id);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn sleep_counts_as_silence() {
        let now = Instant::now();
        let deadline = now + S(120);
        let look = |slept| next_look(now, slept, deadline).map(|look| look - now);
        assert_eq!(look(S(0)), Some(S(5)));
        assert_eq!(look(S(117)), Some(S(3)));
        assert_eq!(look(S(120)), None, "the machine slept through the limit");
        assert_eq!(look(S(9_000)), None);
        assert_eq!(next_look(deadline, S(0), deadline), None);
        assert_eq!(next_look(deadline + S(1), S(0), deadline), None);
    }

    #[tokio::test]
    async fn a_machine_that_is_awake_waits_the_whole_time() {
        let began = std::time::Instant::now();
        let limit = Limit::after(Duration::from_millis(30));
        limit.over().await;
        assert!(began.elapsed() >= Duration::from_millis(30), "{:?}", began.elapsed());
        assert!(limit.since.slept() < S(1), "it was awake");
    }
}
