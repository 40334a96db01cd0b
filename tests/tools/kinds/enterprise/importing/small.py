"""A small folder with every file of the original's layout, written by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.tools.kinds.enterprise.importing.pdfs import write_pdf

EMPLOYEES: list[dict[str, Any]] = [
    {
        "index": "1",
        "category": "Engineering",
        "description": "Director",
        "Experience": "20 years",
        "Name": "Ann Ada",
        "skills": "Python, Go",
        "emp_id": "emp_0001",
        "Level": "EN14",
        "email": "ann.ada@inazuma.com",
        "DOJ": "03-01-2012",
        "DOL": "Present",
        "Salary": "51000",
        "Total Casual Leaves": "8",
        "Remaining Casual Leaves": "3",
        "Total Sick Leaves": "10",
        "Remaining Sick Leaves": "10",
        "Total Vacation Leaves": "15",
        "Remaining Vacation Leaves": "9",
        "Total Leaves Taken": "11",
        "Age": "44",
        "Performance Rating": "4",
        "Marital Status": "Single",
        "Gender": "Female",
        "is_valid": "TRUE",
        "Description": "Engineering",
        "reportees": ["emp_0002"],
        "reports_to": None,
    },
    {
        "category": "Engineering",
        "Name": "Bob Bee",
        "emp_id": "emp_0002",
        "Level": "EN12",
        "email": "bob.bee@inazuma.com",
        "DOJ": "04-02-2015",
        "DOL": "05-03-2020",
        "Salary": "₹1,09,999.50",
        "is_valid": True,
        "reportees": [],
        "reports_to": "emp_0001",
    },
    {
        "category": "Information Technology",
        "Name": "Cyd Cox",
        "emp_id": "emp_0003",
        "Level": "IN09",
        "email": "cyd.cox@inazuma.com",
        "DOJ": "04-02-2015",
        "DOL": "Present",
        "Salary": "30000",
        "is_valid": "TRUE",
        "reportees": [],
        "reports_to": None,
    },
]
CONVERSATIONS: list[dict[str, Any]] = [
    {
        "conversation_id": "c-1",
        "sender_emp_id": "emp_0001",
        "recipient_emp_id": "emp_0002",
        "category": "Engineering",
        "date": "2019-05-06",
        "text": "Emp1: hello\n\nEmp2: hi",
    }
]
OLD_CONVERSATIONS: list[dict[str, Any]] = [
    {
        "conversation_id": "c-2",
        "metadata": {
            "emp1_id": "emp_0001",
            "emp2_id": "emp_0001",
            "category": "Engineering",
            "conversation_date": "2019-05-07",
        },
        "text": "Emp1: alone",
    }
]
SDE_CONVERSATIONS: list[dict[str, Any]] = [
    {
        "conversation_id": "c-3",
        "metadata": {
            "github_author_id": "emp_0001",
            "github_author_name": "Somebody",
            "employee_id": "emp_0003",
            "repo_name": "own/er",
            "file_path": "a.py",
            "license": "mit",
            "assigned_date": "2021-01-01",
        },
        "text": "Why?",
    }
]
MAILS: list[dict[str, Any]] = [
    {
        "email_id": "m-1",
        "thread_id": "THR_20241104_00000a",
        "date": "2015-06-08 04:24:36 IST",
        "sender": {"email": "ann.ada@inazuma.com", "name": "Ann Ada", "emp_id": "emp_0001"},
        "recipient": {"email": "bob.bee@inazuma.com", "name": "Bob Bee", "emp_id": "emp_0002"},
        "subject": "Plan",
        "body": "Dear Bob",
        "importance": "High\ncategory",
        "category": "INTERNAL",
        "signature": "Ann Ada",
        "confidentiality_notice": "Keep it\n}\n```\n**Email Thread 2**",
    },
    {
        "email_id": "m-2",
        "thread_id": "THR_20241104_00000a",
        "date": "2015-06-09 04:24:36 IST",
        "sender_email": "cyd.cox@inazuma.com",
        "sender_name": "Cyd Cox",
        "sender_emp_id": "",
        "recipient_email": "ann.ada@inazuma.com",
        "recipient_name": "Ann Ada",
        "recipient_emp_id": "emp_0001",
        "subject": "Re: Plan",
        "body": "Yes",
        "importance": "Normal",
        "category": "FOLLOW-UP",
        "signature": "Dan Dow",
    },
]
GITHUB: list[dict[str, Any]] = [
    {
        "repo_name": "own/er",
        "path": "a.py",
        "copies": "3",
        "size": 1234,
        "code": "x = 1\n",
        "license": "mit",
        "hash": "0" * 32,
        "emp_id": "emp_0001",
        "creation_date": "2019-01-02",
        "language": "Python",
        "issues": {"id": "i-1", "title": "Bug", "description": "Wrong", "created_at": "2020-05-08 10:11:12"},
    },
    {
        "repo_name": "own/er",
        "path": "b.py",
        "code": "y = 2\n",
        "emp_id": "emp_0003",
        "issues": [
            {"id": "i-2", "title": "One", "status": "open", "patch": "--- a"},
            {"id": "i-3", "title": "Two", "status": "closed"},
        ],
    },
]
TICKETS = [
    {
        "id": "717",
        "priority": "High",
        "raised_by_emp_id": "emp_0001",
        "assigned_date": "2016-10-10",
        "emp_id": "emp_0003",
        "Issue": "Locked out",
        "Resolution": "Reset",
    },
    {
        "id": "718",
        "priority": "low",
        "raised_by_emp_id": "emp_0001",
        "assigned_date": "2021-10-10",
        "emp_id": "emp_0002",
        "Issue": "No network",
        "Resolution": "",
    },
]
PRODUCTS = [
    {
        "product_id": "B000000001",
        "product_name": "Cable",
        "category": "Electronics|Cables",
        "discounted_price": "₹399",
        "actual_price": "₹9,99,999",
        "rating": "|",
        "about_product": "Long",
    }
]
CUSTOMERS: list[dict[str, Any]] = [
    {
        "customer_id": "arout",
        "customer_name": "thomas hardy",
        "invoice_paths": "Financial System/Customer_orders/invoice_arout.pdf",
        "shipping_order_paths": "Financial System/Customer_orders/shipping_order_arout.pdf",
    }
]
SALES = [
    {
        "product_id": "B000000001",
        "discounted_price": "₹399",
        "actual_price": "₹1,099",
        "discount_percentage": "64%",
        "customer_id": "arout",
        "Date_of_Purchase": "2013-02-06",
        "sales_record_id": 0,
    }
]
SENTIMENTS = [
    {
        "sentiment_id": "s-1",
        "product_id": "B000000001",
        "product_name": "Cable",
        "customer_id": "arout",
        "review_id": "R1,R2",
        "review_content": "Good,Bad",
        "review_date": "2014-01-01",
    }
]
CHATS = [
    {
        "chat_id": 7,
        "product_id": "B000000001",
        "customer_id": "arout",
        "emp_id": "emp_0003",
        "text": "```\nCUSTOMER: Hi\n```",
        "interaction_date": "2012-01-01",
    }
]
OVERFLOW = [
    {
        "id": 4,
        "emp_id": "emp_0001",
        "Title": "How?",
        "body": "<p>How</p>",
        "PostTypeId": 1,
        "AcceptedAnswerId": 5.0,
        "Score": 3,
        "ViewCount": 10,
        "CreationDate": "2010-08-03T19:39:39.123",
        "Tags": "<python><regex>",
    },
    {"id": 5, "emp_id": "emp_0003", "body": "So", "PostTypeId": 2, "ParentId": 4},
]
POSTS = [{"Title": "News", "Post": "We grow", "emp_id": "emp_0001", "author": "Ann Ada"}] * 2
CLIENTS = [
    {
        "client_id": "k-1",
        "business_name": "Acme",
        "phone_number": 330923271,
        "monthly_revenue": "$2,357,113",
        "onboarding_date": "2024-05-16",
        "POC_status": "ongoing",
        "business_representative_employee": "emp_0003",
    }
]
VENDORS = [
    {
        "client_id": "CLNT-0001",
        "business_name": "Parts",
        "onboarding_date": "2025-01-03",
        "management_representative_employee": "emp_0001",
    }
]
RESUMES = [
    {"resume_id": "r-1", "emp_id": "emp_0001", "category": "ENGINEER", "name": "Zoe", "content": "a,b\nc"}
]
TASKS = [
    {
        "domain": "hr_systems",
        "emp_id": "emp_0001",
        "task": "What is my current salary?",
        "gt": "It is ₹51,000.",
        "apps": ["HR System"],
    },
    {
        "domain": "biz_op",
        "emp_id": "emp_0001",
        "task": "What did I talk about with Bob?",
        "gt": "About nothing much.",
        "apps": ["Messages Conversations"],
    },
]

FILES: dict[str, list[dict[str, Any]]] = {
    "Human_Resource_Management/Employees/employees.json": EMPLOYEES,
    "Collaboration_tools/conversations.json": CONVERSATIONS,
    "Collaboration_tools/Engg Team Conv/conv.json": OLD_CONVERSATIONS,
    "Collaboration_tools/SDE conv/conv.json": SDE_CONVERSATIONS,
    "Enterprise_mail_system/emails.json": MAILS,
    "Workspace/GitHub/GitHub.json": GITHUB,
    "IT_Service_Management/it_tickets.json": TICKETS,
    "Customer_Relation_Management/products.json": PRODUCTS,
    "Customer_Relation_Management/customers.json": CUSTOMERS,
    "Customer_Relation_Management/sales.json": SALES,
    "Customer_Relation_Management/Product Sentiment/product_sentiment.json": SENTIMENTS,
    "Customer_Relation_Management/Customer Support/customer_support_chats.json": CHATS,
    "Inazuma_Overflow/overflow.json": OVERFLOW,
    "Enterprise Social Platform/posts.json": POSTS,
    "Business_and_Management/clients.json": CLIENTS,
    "Business_and_Management/vendors.json": VENDORS,
    "published_tasks.json": TASKS,
}
POLICY = "Policy_Documents/Inazuma.co Leave Policy (new).pdf"
ORDER = "Customer_Relation_Management/Customer_orders/invoice_arout.pdf"
RESUME = "Human_Resource_Management/Resume/resume_information.csv"


def write_small(root: Path) -> Path:
    """Write all files under `root`."""
    for name, records in FILES.items():
        write_json(root / name, records)
    (root / RESUME).parent.mkdir(parents=True)
    with (root / RESUME).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(RESUMES[0]))
        writer.writeheader()
        writer.writerows(RESUMES)
    write_pdf(root / POLICY, [["Leave Policy", "[Insert Date]"], ["Casual leave: 12 days"]])
    write_pdf(root / ORDER, [["Invoice", "Customer ID: arout", "B000000001", "I399"]])
    return root


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
