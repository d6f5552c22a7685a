/*
 * A program with all that the kernel has to carry when it enters and leaves a program. It has threads with variables of their own,
 * registers of all kinds kept over system calls and faults, signals, new memory, forks. Prints its observations.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define THREADS 4
#define ROUNDS 2000
#define PAGES 300

static __thread long own;
static sigjmp_buf after_fault;
static volatile sig_atomic_t alarms;

static void *count(void *number)
{
	volatile double sum = 0;

	own = (long) number;
	for (int i = 0; i < ROUNDS; i++) {
		double before = sum + own * 0.5;

		syscall(SYS_sched_yield);
		sum = before + i * 0.25;
		own++;
	}
	printf("thread %ld: own %ld, sum %.2f\n", (long) number, own, sum);
	return NULL;
}

/* All sixteen vector registers, over a system call; they are nobody's to change. */
static int vectors_stay(void)
{
	unsigned char before[16][16], after[16][16];

	for (int i = 0; i < 256; i++)
		before[i / 16][i % 16] = (unsigned char) (i * 7 + 1);
	asm volatile(
		"movdqu 0(%1), %%xmm0\n movdqu 112(%1), %%xmm7\n movdqu 240(%1), %%xmm15\n"
		"mov $24, %%eax\n syscall\n"
		"movdqu %%xmm0, 0(%0)\n movdqu %%xmm7, 112(%0)\n movdqu %%xmm15, 240(%0)\n"
		: : "r" (after), "r" (before) : "rax", "rcx", "r11", "xmm0", "xmm7", "xmm15", "memory");
	return !memcmp(before[0], after[0], 16) && !memcmp(before[7], after[7], 16) && !memcmp(before[15], after[15], 16);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void) number;
	(void) context;
	siglongjmp(after_fault, 1 + (info->si_addr == NULL));
}

static void on_alarm(int number)
{
	(void) number;
	alarms++;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct sigaction alarm = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	char *memory;
	long sum = 0;
	int status;

	if (argc > 1) {
		printf("started anew: %s\n", argv[1]);
		return 7;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, (void *) i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("vectors stay: %d\n", vectors_stay());

	sigaction(SIGSEGV, &fault, NULL);
	memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < PAGES; i++)
		memory[i * 4096] = (char) i;
	mprotect(memory, 4096, PROT_READ);
	for (volatile int kind = 0; kind < 3; kind++) {
		switch (sigsetjmp(after_fault, 1)) {
		case 0:
			if (kind == 0)
				memory[0] = 1;
			else if (kind == 1)
				*(volatile char *) NULL = 1;
			else
				asm volatile("hlt");
			printf("no fault %d\n", kind);
			break;
		default:
			printf("fault %d\n", kind);
		}
	}
	mprotect(memory, 4096, PROT_READ | PROT_WRITE);
	memory = mremap(memory, PAGES * 4096, 2 * PAGES * 4096, MREMAP_MAYMOVE);
	for (int i = 0; i < PAGES; i++)
		sum += memory[i * 4096];
	munmap(memory + 4096, 4096);
	if (!sigsetjmp(after_fault, 1))
		printf("gone page read: %d\n", *(volatile char *) (memory + 4096));
	else
		printf("gone page: fault\n");

	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < 5)
		pause();
	setitimer(ITIMER_REAL, &(struct itimerval) { 0 }, NULL);
	printf("sum %ld, alarms %d, time stamps go on: %d\n", sum, (int) alarms, __rdtsc() <= __rdtsc());

	if (fork() == 0) {
		sum += own;
		execl("/proc/self/exe", argv[0], "child", NULL);
		_exit(1);
	}
	wait(&status);
	printf("child: %d\n", WEXITSTATUS(status));
	if (fork() == 0)
		raise(SIGKILL);
	wait(&status);
	printf("killed: %d\n", WTERMSIG(status));
	return 3;
}
