//! What a store on PostgreSQL takes: servers, memory and money for a number of passages and questions, from costs that were
//! measured. `docs/scale.md` explains the arithmetic.

use serde::Serialize;

/// What one passage, one question and one added passage cost, as measured.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Bytes on the disk for each passage, with its share of all indexes but that of vectors.
    pub bytes_per_passage: f64,
    /// Of those, the share that has to be in memory for a search not to wait for the disk: the index of words.
    pub hot_share: f64,
    /// Milliseconds of one processor of the server for a question.
    pub query_cpu_ms: f64,
    /// Milliseconds of one processor of the server for a passage that is added.
    pub add_cpu_ms: f64,
}

/// What one server is.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// Processors.
    pub cores: f64,
    /// Gigabytes of memory.
    pub memory_gb: f64,
    /// Gigabytes of disk.
    pub disk_gb: f64,
    /// What an hour of it costs, in whatever money.
    pub price_per_hour: f64,
}

/// What is asked of all servers together.
#[derive(Debug, Clone, Copy)]
pub struct Demand {
    /// Passages.
    pub passages: f64,
    /// Numbers of each passage's vector; 0 without vectors.
    pub dimension: f64,
    /// Questions in a day.
    pub queries_per_day: f64,
    /// Passages that are added in a day.
    pub added_per_day: f64,
}

/// Share of a server's processors, memory and disk that is planned for: the rest is for peaks within an hour, for merging
/// and for the system.
const FILLED: f64 = 0.6;

/// The busiest hour has this many times the questions of an average one.
const PEAK: f64 = 5.0;

/// Bytes that a graph of neighbours takes for a vector beside its numbers: 16 neighbours on upper layers and 32 on the
/// lowest, 6 bytes each, and the headers of two rows.
const LINKS: f64 = 360.0;

const SECONDS_PER_DAY: f64 = 86_400.0;
const GB: f64 = 1e9;

/// What runs out first on the servers of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Room on the disks.
    Disk,
    /// Memory for the indexes.
    Memory,
    /// Processors, by what is added.
    Writing,
    /// Processors, by what is asked.
    Reading,
}

/// The servers that a demand takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// Gigabytes on disks, without replicas.
    pub disk_gb: f64,
    /// Gigabytes that should be in memory, without replicas.
    pub hot_gb: f64,
    /// Processors that are busy in the busiest hour.
    pub busy_cores: f64,
    /// Servers among which projects are spread.
    pub shards: f64,
    /// Servers with the same content for each shard, itself among them: two at least, so that one may fail.
    pub copies: f64,
    /// Servers in all.
    pub servers: f64,
    /// What a day costs.
    pub cost_per_day: f64,
    /// What a question costs, with all that stands behind it.
    pub cost_per_query: f64,
    /// What decides the number of shards or copies.
    pub saturates_first: Limit,
}

impl Plan {
    /// The fewest servers of that kind that serve the demand.
    #[must_use]
    pub fn of(costs: Costs, machine: Machine, demand: Demand) -> Self {
        // A row of the table and one of the graph hold the numbers, four bytes each.
        let vector = if demand.dimension > 0.0 { 2.0 * 4.0 * demand.dimension + LINKS } else { 0.0 };
        let graph = if demand.dimension > 0.0 { 4.0 * demand.dimension + LINKS } else { 0.0 };
        let disk_gb = demand.passages * (costs.bytes_per_passage + vector) / GB;
        let hot_gb = demand.passages * (costs.bytes_per_passage * costs.hot_share + graph) / GB;
        let adding = demand.added_per_day / SECONDS_PER_DAY * costs.add_cpu_ms / 1e3;
        let asking = PEAK * demand.queries_per_day / SECONDS_PER_DAY * costs.query_cpu_ms / 1e3;

        // Every copy holds and writes all of its shard; questions are shared among copies.
        let by_disk = disk_gb / (machine.disk_gb * FILLED);
        let by_memory = hot_gb / (machine.memory_gb * FILLED);
        let by_writing = adding / (machine.cores * FILLED);
        let shards = by_disk.max(by_memory).max(by_writing).ceil().max(1.0);
        let free = (machine.cores * FILLED - adding / shards).max(0.1);
        let by_reading = asking / shards / free;
        let copies = by_reading.ceil().max(2.0);
        let saturates_first = [
            (by_disk / shards, Limit::Disk),
            (by_memory / shards, Limit::Memory),
            (by_writing / shards, Limit::Writing),
            (by_reading / copies, Limit::Reading),
        ]
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(Limit::Disk, |(_, limit)| limit);
        let servers = shards * copies;
        let cost_per_day = servers * machine.price_per_hour * 24.0;
        Self {
            disk_gb,
            hot_gb,
            busy_cores: adding * copies + asking,
            shards,
            copies,
            servers,
            cost_per_day,
            cost_per_query: cost_per_day / demand.queries_per_day.max(1.0),
            saturates_first,
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "sums that come out even")]
mod tests {
    use super::*;

    const COSTS: Costs =
        Costs { bytes_per_passage: 4_000.0, hot_share: 0.25, query_cpu_ms: 5.0, add_cpu_ms: 0.4 };
    const MACHINE: Machine = Machine { cores: 8.0, memory_gb: 64.0, disk_gb: 2_000.0, price_per_hour: 0.5 };
    const DEMAND: Demand = Demand { passages: 1e6, dimension: 0.0, queries_per_day: 1e5, added_per_day: 1e4 };

    #[test]
    fn a_million_passages_are_one_server_and_its_copy() {
        let plan = Plan::of(COSTS, MACHINE, DEMAND);
        assert_eq!((plan.shards, plan.copies, plan.servers), (1.0, 2.0, 2.0));
        assert_eq!((plan.disk_gb, plan.hot_gb), (4.0, 1.0));
        assert_eq!(plan.cost_per_day, 24.0);
        assert_eq!(plan.cost_per_query, 24.0 / 1e5);
    }

    #[test]
    fn what_grows_decides_the_servers() {
        // 10 billion passages are 40,000 GB; 1,200 GB of each disk are filled.
        let many = Plan::of(COSTS, MACHINE, Demand { passages: 1e10, ..DEMAND });
        // Of 10,000 GB that should be in memory, each server holds 38.4.
        assert_eq!((many.shards, many.saturates_first), ((10_000.0_f64 / 38.4).ceil(), Limit::Memory));
        // A hundred million questions a day are 5,787 in a second of the busiest hour, 28.9 processors.
        let asked = Plan::of(COSTS, MACHINE, Demand { queries_per_day: 1e8, ..DEMAND });
        assert_eq!((asked.shards, asked.copies, asked.saturates_first), (1.0, 7.0, Limit::Reading));
        let written = Plan::of(COSTS, MACHINE, Demand { added_per_day: 5e9, ..DEMAND });
        assert_eq!((written.shards, written.saturates_first), (5.0, Limit::Writing));
        let vectors = Plan::of(COSTS, MACHINE, Demand { dimension: 768.0, ..DEMAND });
        assert!((vectors.disk_gb - (4.0 + 6.504)).abs() < 1e-9, "{vectors:?}");
    }
}
